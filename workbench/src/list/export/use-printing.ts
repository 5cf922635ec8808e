/** Whether the page is being printed: then a table shows more than the rows in sight. */
import { useEffect, useState } from 'preact/hooks'

/** So many rows fill about twelve sheets; whoever wants them all downloads the results. */
export const MOST_PRINTED = 500

export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const begin = (): void => setPrinting(true)
    const end = (): void => setPrinting(false)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}
