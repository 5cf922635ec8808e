/** The table of a scored list. Only the rows in sight are drawn, so fifty thousand scroll as ten do. */
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { useShared } from '../state.ts'
import { Empty } from '../ui/status.tsx'
import { gridColumns, type GridColumn } from './grid-columns.ts'
import { GridRow } from './grid-row.tsx'
import { list, setCell } from './list-state.ts'
import { scoreRow } from './score-list.ts'
import { ROW_HEIGHT, useGrid, type Place } from './use-grid.ts'

export interface ResultTableProps {
  readonly rows: Uint32Array
  readonly model: Model
  readonly catalogue: FieldCatalogue
  readonly threshold: number | undefined
}

export function ResultTable({ rows, model, catalogue, threshold }: ResultTableProps): VNode {
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const columns = useMemo(
    () => gridColumns(state, catalogue, words),
    [state.sheet, state.matches, catalogue, words],
  )
  const grid = useGrid(rows.length, columns.length)
  const [editing, setEditing] = useState<Place | undefined>(undefined)
  const template = columns
    .map(({ kind, width }) => (kind === 'value' ? `minmax(${width}px, 1fr)` : `${width}px`))
    .join(' ')
  const least = columns.reduce((sum, { width }) => sum + width, 0)
  const commit = (place: Place, text: string | undefined, isByKey: boolean): void => {
    setEditing(undefined)
    if (isByKey) grid.goTo(place)
    const column = columns[place.column]?.column ?? -1
    const row = rows[place.row]
    if (text === undefined || row === undefined || state.sheet === undefined || column < 0) return
    setCell(state.sheet, row, column, text)
    void scoreRow(catalogue, row)
  }
  const activate = (place: Place): void => {
    const row = rows[place.row]
    if (row === undefined) return
    if (columns[place.column]?.kind === 'value') setEditing(place)
    else list.patch({ openRow: row })
  }
  const drawn = Array.from(rows.subarray(grid.first, grid.last))
  return (
    <>
      <p class="quiet" id="grid-hint">
        {t('grid.hint')}
      </p>
      <div
        class="grid"
        aria-describedby="grid-hint"
        role="grid"
        aria-label={t('grid.label')}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        ref={grid.box}
        onScroll={grid.onScroll}
        onKeyDown={grid.onKeyDown}
        style={{ '--columns': template, '--least': `${least}px` }}
      >
        <div class="grid-row grid-head" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <Head key={`${column.kind} ${column.column}`} column={column} />
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
                isYesNo={model.deployment.output === 'yes-no'}
                threshold={threshold}
                entryColumn={grid.entryRow === grid.first + index ? grid.active.column : -1}
                editing={editing?.row === grid.first + index ? editing.column : -1}
                onActivate={activate}
                onChoose={grid.goTo}
                onCommit={commit}
              />
            ))}
          </div>
        </div>
      </div>
    </>
  )
}

function Head({ column }: { readonly column: GridColumn }): VNode {
  const { order } = useShared(list)
  const isSorted = order.by === column.order
  const sort = (): void => {
    // Figures are mostly wanted from the top, names from the start.
    const startsDown = column.kind === 'risk' || column.kind === 'problems'
    list.patch({ order: { by: column.order, isDown: isSorted ? !order.isDown : startsDown } })
  }
  return (
    <div role="columnheader" aria-sort={isSorted ? (order.isDown ? 'descending' : 'ascending') : 'none'}>
      <button type="button" class="sort" onClick={sort} title={column.label.text}>
        <span lang={column.label.lang}>{column.label.text}</span>
        <span aria-hidden="true">{isSorted ? (order.isDown ? '↓' : '↑') : ''}</span>
      </button>
    </div>
  )
}
