/** Whether the screen is narrow, or enlarged so that it is: rows are cards then. */
import { useEffect, useState } from 'preact/hooks'

const NARROW = '(max-width: 640px)'

export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(window.matchMedia(NARROW).matches)
  useEffect(() => {
    const query = window.matchMedia(NARROW)
    const note = (): void => setNarrow(query.matches)
    query.addEventListener('change', note)
    return () => query.removeEventListener('change', note)
  }, [])
  return isNarrow
}
