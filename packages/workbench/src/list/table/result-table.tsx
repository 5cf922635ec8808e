/** The table of a scored list. Only visible rows are drawn, so fifty thousand rows scroll as fast as ten. */
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useWords, type Words } from '../../i18n/words.ts'
import { useShared } from '../../state.ts'
import { Empty } from '../../ui/status.tsx'
import { gridColumns, shapeOf, type GridColumn } from './grid-columns.ts'
import { GridRow } from './grid-row.tsx'
import { change } from '../history/history.ts'
import { markOf, nextState } from '../history/marks.ts'
import { correctOne } from '../score/correct-rows.ts'
import { scoreRows } from '../score/score-rows.ts'
import { isYesNo, list, listThreshold, type ScoredBy } from '../list-state.ts'
import { MOST_PRINTED } from '../export/use-printing.ts'
import { HEAD, useGrid, type CellPosition } from './use-grid.ts'
import { useNarrow } from './use-narrow.ts'

const ROW_HEIGHT = 36
const NARROW = 64
/** A card: whose it is and its risk, state and problems, the note, then two values a line. */
const CARD_LINES = 3
const LINE_HEIGHT = 32
const CARD_EDGE = 20
const ARROWS = { ascending: '↑', descending: '↓' } as const
const BUTTONS = '.risk-button, .problem-button, .state-button'

export function ResultTable({ rows, scoredBy }: Readonly<{ rows: Uint32Array; scoredBy: ScoredBy }>): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const isNarrow = useNarrow()
  const columns = useMemo(() => {
    const all = gridColumns(state, scoredBy.catalogue, words).filter(
      (each) => shapeOf(state, each) !== 'hidden',
    )
    // A card says whose it is, so it needs no line.
    const hasName = isNarrow && all.some(({ kind }) => kind === 'identifier')
    return hasName ? all.filter(({ kind }) => kind !== 'row') : all
  }, [state.sheet, state.matches, state.shapes, scoredBy, words, isNarrow])
  const valueLines = Math.ceil(columns.filter(({ kind }) => kind === 'value' || kind === 'extra').length / 2)
  const rowHeight = isNarrow ? (CARD_LINES + valueLines) * LINE_HEIGHT + CARD_EDGE : ROW_HEIGHT
  const grid = useGrid(rows.length, columns.length, rowHeight)
  const [editing, setEditing] = useState<CellPosition | undefined>(undefined)
  const widths = columns.map((each) => (shapeOf(state, each) === 'narrow' ? NARROW : each.width))
  const template = columns.map(({ kind, width }, index) =>
    (kind === 'value' || kind === 'extra') && widths[index] === width
      ? `minmax(${width}px, 1fr)`
      : `${widths[index]}px`,
  )
  const least = widths.reduce((sum, width) => sum + width, 0)
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
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const place = (event.target as HTMLElement).matches('[data-cell]') ? placeOf(event) : undefined
    if (place === undefined || (event.key !== 'Enter' && event.key !== 'F2')) {
      grid.onKeyDown(event)
      return
    }
    // A name is a button, which sorts.
    if (place.row === HEAD) return
    event.preventDefault()
    activate(place)
  }
  const drawn = Array.from(rows.subarray(grid.first, grid.last))
  return (
    <>
      <p class="quiet" id="grid-hint">
        {t('grid.hint')}
      </p>
      {rows.length > MOST_PRINTED && (
        <p class="quiet print-only">
          {t('grid.printed', { shown: words.number(MOST_PRINTED), total: words.number(rows.length) })}
        </p>
      )}
      <div
        class={isNarrow ? 'grid cards' : 'grid'}
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
    const startsDescending = column.kind === 'risk' || column.kind === 'problems'
    list.patch({
      order: { by: column.order, isDescending: isSorted ? !order.isDescending : startsDescending },
    })
  }
  return (
    <div
      role="columnheader"
      class={column.isFigure ? `${column.kind} figure` : column.kind}
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
