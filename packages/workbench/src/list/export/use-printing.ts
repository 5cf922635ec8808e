/** Whether the page is being printed: a table then shows more than the visible rows. */
import { useState } from 'preact/hooks'
import { useListener } from '../../ui/use-listener.ts'

/** About twelve sheets. Larger lists can be downloaded. */
export const MOST_PRINTED = 500

export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useListener(window, ['beforeprint', 'afterprint'], ({ type }) => setPrinting(type === 'beforeprint'))
  return isPrinting
}
