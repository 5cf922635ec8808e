/** Whether the page is being printed: a table then shows more than the visible rows. */
import { useEffect, useState } from 'preact/hooks'

/** About twelve sheets. Larger lists can be downloaded. */
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
