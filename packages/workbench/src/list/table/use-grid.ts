/** The behaviour of a long table: which rows are drawn, and how the keyboard moves over cells. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RefObject } from 'preact'
import { MOST_PRINTED, usePrinting } from '../export/use-printing.ts'

const HEAD_HEIGHT = 40
/** The place of the row of names, above the first row. */
export const HEAD = -1
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
  /** The row that Tab enters, HEAD for that of the names, even if the active row is scrolled out of view. */
  readonly entryRow: number
  readonly onScroll: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  /** Scrolls a row into sight and makes it the one that Tab enters, without moving the focus. */
  readonly reveal: (row: number) => void
  /** Makes a cell the active one. Nothing moves below a pointer that points at it. */
  readonly goTo: (place: CellPosition, isPointed?: boolean) => void
}

export function useGrid(
  rows: number,
  columns: number,
  rowHeight: number,
  onWidth: (width: number) => void,
): Grid {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 })
  const frame = useRef(0)
  const wanted = useRef<'focus' | 'sight' | undefined>(undefined)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      setHeight(element.clientHeight)
      onWidth(element.clientWidth)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  // At once, because the next key press may follow immediately and belongs to the new cell.
  useLayoutEffect(() => {
    const want = wanted.current
    if (want === undefined) return
    wanted.current = undefined
    const cell = box.current?.querySelector<HTMLElement>(`[data-cell="${active.row}:${active.column}"]`)
    cell?.focus({ preventScroll: true })
    if (want === 'sight') cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [active, top])
  useEffect(() => {
    // Other rows are shown, so the old position is meaningless.
    setActive({ row: 0, column: active.column })
    if (box.current !== null) box.current.scrollTop = 0
  }, [rows])
  const isPrinting = usePrinting()
  const first = isPrinting ? 0 : Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS)
  const last = isPrinting
    ? Math.min(rows, MOST_PRINTED)
    : Math.min(rows, Math.ceil((top + height) / rowHeight) + SPARE_ROWS)
  const goTo = (place: CellPosition, isPointed = false): void => {
    const element = box.current
    const next = { row: place.row < 0 ? HEAD : clamp(place.row, rows), column: clamp(place.column, columns) }
    wanted.current = isPointed ? 'focus' : 'sight'
    setActive(next)
    if (element === null || next.row === HEAD || isPointed) return
    scrollTo(element, next.row)
  }
  const scrollTo = (element: HTMLElement, row: number): void => {
    const at = row * rowHeight
    // The header stays visible and covers the top.
    const visible = element.clientHeight - HEAD_HEIGHT
    if (at < element.scrollTop) element.scrollTop = at
    else if (at + rowHeight > element.scrollTop + visible) element.scrollTop = at + rowHeight - visible
    setTop(element.scrollTop)
  }
  const reveal = (row: number): void => {
    if (row < 0 || row >= rows || box.current === null) return
    setActive({ row, column: active.column })
    scrollTo(box.current, row)
  }
  return {
    box,
    first,
    last,
    slots: isPrinting ? MOST_PRINTED : Math.ceil(height / rowHeight) + 2 * SPARE_ROWS + 2,
    active,
    entryRow:
      active.row === HEAD || (active.row >= first && active.row < last)
        ? active.row
        : Math.min(rows - 1, first + SPARE_ROWS),
    goTo,
    reveal,
    onScroll() {
      box.current?.toggleAttribute('data-sideways', box.current.scrollLeft > 0)
      cancelAnimationFrame(frame.current)
      frame.current = requestAnimationFrame(() => setTop(box.current?.scrollTop ?? 0))
    },
    onKeyDown(event) {
      const next = moved(event, active, rows)
      if (next === undefined || !(event.target as HTMLElement).matches('[data-cell]')) return
      event.preventDefault()
      goTo(next)
    },
  }
}

/** Rows down and columns to the right that a key moves. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [PAGE_ROWS, 0],
}

function moved({ key, ctrlKey }: KeyboardEvent, from: CellPosition, rows: number): CellPosition | undefined {
  if (key === 'Home') return { row: ctrlKey ? 0 : from.row, column: 0 }
  if (key === 'End') return { row: ctrlKey ? rows - 1 : from.row, column: Infinity }
  // The names are one step above the first row, and never a page.
  if (key === 'PageUp') return { row: Math.max(0, from.row - PAGE_ROWS), column: from.column }
  const [down, right] = STEPS[key] ?? []
  return down === undefined || right === undefined
    ? undefined
    : { row: from.row + down, column: from.column + right }
}

function clamp(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, value))
}
