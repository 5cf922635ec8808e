/** The table of a scored list. Only visible rows are drawn, so fifty thousand rows scroll as fast as ten. */
import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useWords, type Words } from '../../i18n/words.ts'
import { useShared } from '../../state.ts'
import { Empty } from '../../ui/status.tsx'
import type { Duplicates } from './duplicates.ts'
import { widthOf, type TableRoom } from './column-widths.ts'
import { gridColumns, isFixed, shapeOf, type GridColumn } from './grid-columns.ts'
import { GridRow } from './grid-row.tsx'
import { change } from '../history/history.ts'
import { markOf, nextState } from '../history/marks.ts'
import { correctOne } from '../score/correct-rows.ts'
import { scoreRows } from '../score/score-rows.ts'
import { isYesNo, list, listThreshold, type ListState, type ScoredBy } from '../list-state.ts'
import { MOST_PRINTED, usePrinting } from '../export/use-printing.ts'
import { measureHead } from './measure-head.ts'
import { HEAD, useGrid, type CellPosition, type Grid } from './use-grid.ts'
import { useNarrow, useWide } from './use-narrow.ts'

const ROW_HEIGHT = 44
const NARROW = 64
const LINE_HEIGHT = 28
const CARD_EDGE = 20
/** A column of notes has this width where there is room. */
const NOTE = 88
/** How wide a value of a card is, at least. */
const CARD_VALUE = 168
const ARROWS = { ascending: '↑', descending: '↓' } as const
const BUTTONS = '.risk-button, .problem-button, .state-button'

export interface ResultTableProps {
  readonly rows: Uint32Array
  readonly scoredBy: ScoredBy
  readonly duplicates: Duplicates
  /** Whether the overview is open. It stands beside the table on a wide screen. */
  readonly isOverview: boolean
}

export function ResultTable({ rows, scoredBy, duplicates, isOverview }: ResultTableProps): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const isNarrow = useNarrow()
  const isWide = useWide()
  const { openRow } = state
  const hasPanel = isWide && openRow !== undefined
  const room = roomOf(isWide, hasPanel || isOverview)
  const isPrinting = usePrinting()
  const measure = useMemo(measureHead, [])
  // Beside a patient, whose panel has the note, the column of notes stays only where it has its whole width.
  const leastNote = hasPanel ? NOTE : 0
  const widthIn = (column: GridColumn): number => {
    if (isSlim(state, column)) return NARROW
    const width = widthOf(column, room, measure)
    return column.kind === 'note' ? Math.max(width, leastNote) : width
  }
  const [boxWidth, setBoxWidth] = useState(Infinity)
  const columns = useMemo(() => {
    const chosen = gridColumns(state, scoredBy.catalogue, words).filter(
      (each) => shapeOf(state, each) !== 'hidden',
    )
    // The panel has the note too, and no column is cut at the edge. Paper has all of them.
    const isCut = room === 'beside' && !isPrinting && sum(chosen.map(widthIn)) > boxWidth
    const others = chosen.filter(({ kind }) => kind !== 'note')
    return isCut && sum(others.map(widthIn)) <= boxWidth ? others : chosen
  }, [
    state.sheet,
    state.matches,
    state.shapes,
    scoredBy,
    words,
    isNarrow,
    isPrinting,
    room,
    hasPanel,
    boxWidth,
  ])
  const cardColumns = Math.max(2, Math.min(4, Math.floor(window.innerWidth / CARD_VALUE)))
  const rowHeight = isNarrow ? cardLines(columns, cardColumns) * LINE_HEIGHT + CARD_EDGE : ROW_HEIGHT
  const grid = useGrid(rows.length, columns.length, rowHeight, setBoxWidth)
  const [editing, setEditing] = useState<CellPosition | undefined>(undefined)
  const widths = columns.map(widthIn)
  const template = columns.map((each, index) => {
    const { kind } = each
    const width = widths[index] ?? 0
    if (isSlim(state, each)) return `${width}px`
    if (kind === 'reasons') return `minmax(${width}px, 2fr)`
    if (kind === 'note') return `minmax(${width}px, ${Math.max(width, NOTE)}px)`
    return kind === 'value' || kind === 'extra' ? `minmax(${width}px, 1fr)` : `${width}px`
  })
  const least = sum(widths)
  const commit = (place: CellPosition, text: string | undefined, isByKey: boolean): void => {
    setEditing(undefined)
    if (isByKey) grid.goTo(place)
    const { kind, column = -1 } = columns[place.column] ?? {}
    const row = rows[place.row]
    if (text === undefined || row === undefined) return
    if (kind === 'note') change([row], 'note', text)
    else if (column >= 0) correctOne(row, column, text)
  }
  const activate = (place: CellPosition): void => {
    const row = rows[place.row]
    const kind = columns[place.column]?.kind
    if (row === undefined || kind === 'extra') return
    if (kind === 'risk' && state.results.unanswered.has(row)) {
      void scoreRows([row])
      return
    }
    if (kind === 'state') {
      change([row], 'state', nextState(markOf(state.marks, row).state))
      return
    }
    const isRejected = state.sheet?.rejected.has(row) === true
    if (kind === 'note' || (kind === 'value' && !isRejected)) setEditing(place)
    else list.patch({ openRow: row })
  }
  // One listener for all cells, so that a new row costs no more than its text.
  const onClick = (event: MouseEvent): void => {
    const place = placeOf(event)
    if (place === undefined) return
    const target = event.target as HTMLElement
    const isButton = target.closest(BUTTONS) !== null
    const isWrong = target.closest('.wrong') !== null
    if (isButton || isWrong) activate(place)
    if (!isWrong) grid.goTo(place, true)
    // The panel follows the row that is pointed at.
    const row = rows[place.row]
    if (isWide && openRow !== undefined && row !== undefined && !isButton && !isWrong)
      list.patch({ openRow: row })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const place = (event.target as HTMLElement).matches('[data-cell]') ? placeOf(event) : undefined
    if (event.key === 'Escape' && openRow !== undefined && place !== undefined)
      list.patch({ openRow: undefined })
    if (place === undefined || (event.key !== 'Enter' && event.key !== 'F2')) {
      grid.onKeyDown(event)
      return
    }
    // A name is a button, which sorts.
    if (place.row === HEAD) return
    event.preventDefault()
    activate(place)
  }
  useOpenRow(grid, rows, openRow)
  const drawn = Array.from(rows.subarray(grid.first, grid.last))
  return (
    <>
      {rows.length > MOST_PRINTED && (
        <p class="quiet print-only">
          {t('grid.printed', { shown: words.number(MOST_PRINTED), total: words.number(rows.length) })}
        </p>
      )}
      <div
        class={gridClass(isNarrow ? cardColumns : undefined, room)}
        aria-describedby="grid-hint"
        role="grid"
        aria-label={t('grid.label')}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        ref={grid.box}
        onScroll={grid.onScroll}
        onClick={onClick}
        onDblClick={(event) => {
          const place = placeOf(event)
          // A button has had two clicks already.
          if (place !== undefined && (event.target as HTMLElement).closest(BUTTONS) === null) activate(place)
        }}
        onKeyDown={onKeyDown}
        style={{
          '--columns': template.join(' '),
          '--least': `${least}px`,
          '--card-span': String(12 / cardColumns),
          ...leftsOf(columns, widths),
          '--row-height': `${rowHeight}px`,
          '--origin': JSON.stringify(originOf(words, scoredBy)),
        }}
      >
        <div class="grid-row grid-head" role="row" aria-rowindex={1}>
          {columns.map((column, index) => (
            <GridHead
              key={`${column.kind} ${column.column}`}
              column={column}
              index={index}
              isEntry={grid.entryRow === HEAD && grid.active.column === index}
            />
          ))}
        </div>
        {rows.length === 0 && (
          <div role="row">
            <div role="gridcell">
              <Empty title={t('grid.empty')} />
            </div>
          </div>
        )}
        <div class="grid-space" role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
          <div
            role="presentation"
            class="grid-window"
            style={{ transform: `translateY(${grid.first * rowHeight}px)` }}
          >
            {drawn.map((row, index) => (
              <GridRow
                key={(grid.first + index) % grid.slots}
                words={words}
                row={row}
                place={grid.first + index}
                columns={columns}
                state={state}
                isYesNo={isYesNo(scoredBy)}
                threshold={listThreshold(scoredBy)}
                isOpen={row === openRow}
                isDuplicate={duplicates.has(row)}
                entryColumn={grid.entryRow === grid.first + index ? grid.active.column : -1}
                editing={editing?.row === grid.first + index ? editing.column : -1}
                onCommit={editing?.row === grid.first + index ? commit : undefined}
              />
            ))}
          </div>
        </div>
      </div>
    </>
  )
}

/** A patient, or the overview, is beside the table on a wide screen only. */
function roomOf(isWide: boolean, isBeside: boolean): TableRoom {
  if (!isWide) return 'tight'
  return isBeside ? 'beside' : 'wide'
}

/** Whether the reader chose to have a column narrow. */
function isSlim(state: ListState, column: GridColumn): boolean {
  return shapeOf(state, column) === 'narrow'
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width, 0)
}

const CARD_CLASSES: Readonly<Record<number, string>> = { 2: 'by-two', 4: 'by-four' }

/** `cardColumns` is undefined for a table. */
function gridClass(cardColumns: number | undefined, room: TableRoom): string {
  if (cardColumns !== undefined) return `grid cards ${CARD_CLASSES[cardColumns] ?? ''}`
  return room === 'wide' ? 'grid' : 'grid tight'
}

/** Whose it is, risk and state in one line, or in two where they need it; the reasons; then values and the note beside each other. */
function cardLines(columns: readonly GridColumn[], cardColumns: number): number {
  const head = cardColumns === 2 ? 2 : 1
  const reasons = cardColumns === 4 ? 1 : 2
  return head + reasons + Math.ceil(columns.filter((each) => !isFixed(each)).length / cardColumns)
}

/** Where the columns that stay in sight begin, as long as those before them stay too. */
function leftsOf(
  columns: readonly GridColumn[],
  widths: readonly number[],
): Readonly<Record<string, string>> {
  let left = 0
  const lefts: Record<string, string> = {}
  columns.forEach((column, index) => {
    if (!isFixed(column)) return
    lefts[`--left-${column.kind}`] = `${left}px`
    left += widths[index] ?? 0
  })
  return lefts
}

/** The row that the panel shows is in sight. When the panel closes, the cursor is back in that row. */
function useOpenRow(grid: Grid, rows: Uint32Array, openRow: number | undefined): void {
  const before = useRef<number | undefined>(undefined)
  useEffect(() => {
    const last = before.current
    before.current = openRow
    if (openRow !== undefined) grid.reveal(rows.indexOf(openRow))
    else if (last !== undefined && document.activeElement === document.body) {
      const row = rows.indexOf(last)
      if (row >= 0) grid.goTo({ row, column: grid.active.column })
    }
  }, [openRow])
}

/** What scored the list, above the names of the columns on every printed page. */
function originOf(words: Words, { model, at }: ScoredBy): string {
  return [words.serviceText(model.title), `${model.id} ${model.version}`, words.time(at)].join(' · ')
}

/** The cell that an event happened in. */
function placeOf(event: Event): CellPosition | undefined {
  const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-cell]')
  const [row, column] = (cell?.dataset['cell'] ?? '').split(':').map(Number)
  return row === undefined || column === undefined ? undefined : { row, column }
}

/** The head of a column: its name, and a button that sorts by it. */
function GridHead(props: {
  readonly column: GridColumn
  readonly index: number
  readonly isEntry: boolean
}): VNode {
  const { column, index, isEntry } = props
  const { order } = useShared(list)
  const isSorted = order.by === column.order
  const direction = order.isDescending ? 'descending' : 'ascending'
  const sort = (): void => {
    // Figures are mostly wanted from the top, names from the start.
    const startsDescending = column.kind === 'risk' || column.kind === 'reasons'
    list.patch({
      order: { by: column.order, isDescending: isSorted ? !order.isDescending : startsDescending },
    })
  }
  return (
    <div
      role="columnheader"
      class={`${column.kind}${isFixed(column) ? ' fixed' : ''}${column.isFigure ? ' figure' : ''}`}
      aria-sort={isSorted ? direction : 'none'}
    >
      <button
        type="button"
        class="sort"
        data-cell={`${HEAD}:${index}`}
        tabIndex={isEntry ? 0 : -1}
        onClick={sort}
        title={column.label.text}
      >
        <span lang={column.label.lang}>{column.label.text}</span>
        <span aria-hidden="true">{isSorted ? ARROWS[direction] : ''}</span>
      </button>
    </div>
  )
}
