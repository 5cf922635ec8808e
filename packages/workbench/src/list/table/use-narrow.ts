/** How much room the screen has: rows are cards on a narrow or enlarged one, and one patient is beside the table on a wide one. */
import { useEffect, useState } from 'preact/hooks'

/** A screen of 1920 pixels at 200 % is 960 wide, and low. The style sheet has the same rule. */
const NARROW = '(max-width: 899px), (max-width: 1023px) and (max-height: 560px)'
const WIDE = '(min-width: 1240px)'

export function useNarrow(): boolean {
  return useMedia(NARROW)
}

/** Whether there is room for a panel beside the table. */
export function useWide(): boolean {
  return useMedia(WIDE)
}

function useMedia(query: string): boolean {
  const [isMatching, setMatching] = useState(window.matchMedia(query).matches)
  useEffect(() => {
    const media = window.matchMedia(query)
    const note = (): void => setMatching(media.matches)
    media.addEventListener('change', note)
    return () => media.removeEventListener('change', note)
  }, [query])
  return isMatching
}
