/** The behaviour of a long table: which rows are drawn, and how the keyboard moves over cells. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RefObject } from 'preact'
import { MOST_PRINTED, usePrinting } from '../export/use-printing.ts'

export const ROW_HEIGHT = 36
const SPARE_ROWS = 3
const PAGE_ROWS = 10

export interface CellPosition {
  readonly row: number
  readonly column: number
}

export interface Grid {
  readonly box: RefObject<HTMLDivElement | null>
  readonly first: number
  readonly last: number
  /** How many rows are drawn at most: a row that scrolls out of view is reused for one that scrolls into view. */
  readonly slots: number
  readonly active: CellPosition
  /** The row that Tab enters, even if the active row is scrolled out of view. */
  readonly entryRow: number
  readonly onScroll: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  /** Makes a cell the active one. */
  readonly goTo: (place: CellPosition) => void
}

export function useGrid(rows: number, columns: number): Grid {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 })
  const frame = useRef(0)
  const wantsFocus = useRef(false)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  // At once, because the next key press may follow immediately and belongs to the new cell.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    const cell = box.current?.querySelector<HTMLElement>(`[data-cell="${active.row}:${active.column}"]`)
    cell?.focus({ preventScroll: true })
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [active, top])
  useEffect(() => {
    // Other rows are shown, so the old position is meaningless.
    setActive({ row: 0, column: active.column })
    if (box.current !== null) box.current.scrollTop = 0
  }, [rows])
  const isPrinting = usePrinting()
  const first = isPrinting ? 0 : Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS)
  const last = isPrinting
    ? Math.min(rows, MOST_PRINTED)
    : Math.min(rows, Math.ceil((top + height) / ROW_HEIGHT) + SPARE_ROWS)
  const goTo = (place: CellPosition): void => {
    const element = box.current
    const next = { row: clamp(place.row, rows), column: clamp(place.column, columns) }
    wantsFocus.current = true
    setActive(next)
    if (element === null) return
    const at = next.row * ROW_HEIGHT
    // The header stays visible and covers the height of one row at the top.
    const visible = element.clientHeight - ROW_HEIGHT
    if (at < element.scrollTop) element.scrollTop = at
    else if (at + ROW_HEIGHT > element.scrollTop + visible) element.scrollTop = at + ROW_HEIGHT - visible
    setTop(element.scrollTop)
  }
  return {
    box,
    first,
    last,
    slots: isPrinting ? MOST_PRINTED : Math.ceil(height / ROW_HEIGHT) + 2 * SPARE_ROWS + 2,
    active,
    entryRow: active.row >= first && active.row < last ? active.row : Math.min(rows - 1, first + SPARE_ROWS),
    goTo,
    onScroll() {
      cancelAnimationFrame(frame.current)
      frame.current = requestAnimationFrame(() => setTop(box.current?.scrollTop ?? 0))
    },
    onKeyDown(event) {
      const next = moved(event, active, rows, columns)
      if (next === undefined || !(event.target as HTMLElement).matches('[data-cell]')) return
      event.preventDefault()
      goTo(next)
    },
  }
}

function moved(
  event: KeyboardEvent,
  { row, column }: CellPosition,
  rows: number,
  columns: number,
): CellPosition | undefined {
  switch (event.key) {
    case 'ArrowDown':
      return { row: row + 1, column }
    case 'ArrowUp':
      return { row: row - 1, column }
    case 'ArrowRight':
      return { row, column: column + 1 }
    case 'ArrowLeft':
      return { row, column: column - 1 }
    case 'PageDown':
      return { row: row + PAGE_ROWS, column }
    case 'PageUp':
      return { row: row - PAGE_ROWS, column }
    case 'Home':
      return event.ctrlKey ? { row: 0, column: 0 } : { row, column: 0 }
    case 'End':
      return event.ctrlKey ? { row: rows - 1, column: columns - 1 } : { row, column: columns - 1 }
    default:
      return undefined
  }
}

function clamp(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, value))
}
