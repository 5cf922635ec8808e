/** The table of a scored list. Only visible rows are drawn, so fifty thousand rows scroll as fast as ten. */
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useWords, type Words } from '../../i18n/words.ts'
import { useShared } from '../../state.ts'
import { Empty } from '../../ui/status.tsx'
import { gridColumns, type GridColumn } from './grid-columns.ts'
import { GridRow } from './grid-row.tsx'
import { correctOne } from '../score/correct-rows.ts'
import { isYesNo, list, listThreshold, type ScoredBy } from '../list-state.ts'
import { MOST_PRINTED } from '../export/use-printing.ts'
import { ROW_HEIGHT, useGrid, type CellPosition } from './use-grid.ts'

export interface ResultTableProps {
  readonly rows: Uint32Array
  readonly scoredBy: ScoredBy
}

export function ResultTable({ rows, scoredBy }: ResultTableProps): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const columns = useMemo(
    () => gridColumns(state, scoredBy.catalogue, words),
    [state.sheet, state.matches, state.extraColumns, scoredBy, words],
  )
  const grid = useGrid(rows.length, columns.length)
  const [editing, setEditing] = useState<CellPosition | undefined>(undefined)
  const template = columns
    .map(({ kind, width }) =>
      kind === 'value' || kind === 'extra' ? `minmax(${width}px, 1fr)` : `${width}px`,
    )
    .join(' ')
  const least = columns.reduce((sum, { width }) => sum + width, 0)
  const commit = (place: CellPosition, text: string | undefined, isByKey: boolean): void => {
    setEditing(undefined)
    if (isByKey) grid.goTo(place)
    const column = columns[place.column]?.column ?? -1
    const row = rows[place.row]
    if (text !== undefined && row !== undefined && column >= 0) correctOne(row, column, text)
  }
  const activate = (place: CellPosition): void => {
    const row = rows[place.row]
    if (row === undefined || columns[place.column]?.kind === 'extra') return
    const isRejected = state.sheet?.rejected.has(row) === true
    if (columns[place.column]?.kind === 'value' && !isRejected) setEditing(place)
    else list.patch({ openRow: row })
  }
  // One listener for all cells, so that a new row costs no more than its text.
  const onClick = (event: MouseEvent): void => {
    const place = placeOf(event)
    if (place === undefined) return
    const target = event.target as HTMLElement
    const isButton = target.closest('.risk-button, .problem-button') !== null
    const isWrong = target.closest('.wrong') !== null
    if (isButton || isWrong) activate(place)
    if (!isWrong) grid.goTo(place)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const place = (event.target as HTMLElement).matches('[data-cell]') ? placeOf(event) : undefined
    if (place === undefined || (event.key !== 'Enter' && event.key !== 'F2')) {
      grid.onKeyDown(event)
      return
    }
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
        class="grid"
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
          if (place !== undefined) activate(place)
        }}
        onKeyDown={onKeyDown}
        style={{ '--columns': template, '--least': `${least}px` }}
      >
        <div class="grid-row grid-head" role="row" aria-rowindex={1} data-origin={originOf(words, scoredBy)}>
          {columns.map((column) => (
            <GridHead key={`${column.kind} ${column.column}`} column={column} />
          ))}
        </div>
        {rows.length === 0 && (
          <div role="row">
            <div role="gridcell">
              <Empty title={t('grid.empty')} />
            </div>
          </div>
        )}
        <div class="grid-space" role="presentation" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
          <div
            role="presentation"
            class="grid-window"
            style={{ transform: `translateY(${grid.first * ROW_HEIGHT}px)` }}
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
function GridHead({ column }: { readonly column: GridColumn }): VNode {
  const { order } = useShared(list)
  const isSorted = order.by === column.order
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
      class={column.isFigure ? 'figure' : undefined}
      aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button type="button" class="sort" onClick={sort} title={column.label.text}>
        <span lang={column.label.lang}>{column.label.text}</span>
        <span aria-hidden="true">{isSorted ? (order.isDescending ? '↓' : '↑') : ''}</span>
      </button>
    </div>
  )
}
