/** One row of the table: its risk, its problems, and cells that can be put right in place. */
import type { VNode } from 'preact'
import { describeProblem } from '../i18n/problem-words.ts'
import type { Words } from '../i18n/words.ts'
import { memo } from '../ui/memo.ts'
import { cellContent } from './cell-content.tsx'
import { CellEditor } from './cell-editor.tsx'
import type { GridColumn } from './grid-columns.ts'
import { textOfCell, type ListState } from './list-state.ts'
import type { Place } from './use-grid.ts'

export interface GridRowProps {
  /** Given from above: a cell that asked for itself would subscribe and leave with every row that is scrolled by. */
  readonly words: Words
  readonly row: number
  readonly place: number
  readonly columns: readonly GridColumn[]
  readonly state: ListState
  readonly isYesNo: boolean
  readonly threshold: number | undefined
  readonly entryColumn: number
  readonly editing: number
  /**
   * For the row that is put right alone: the others stay as they are when it changes. `isByKey` when Enter or Escape ended
   * the editing, so that the cursor stays in the table.
   */
  readonly onCommit: ((place: Place, text: string | undefined, isByKey: boolean) => void) | undefined
}

/** Rows that stay in sight while others are scrolled by are not drawn again. The table listens for all of them. */
export const GridRow = memo(function Row(props: GridRowProps): VNode {
  const { words, row, place, columns, state, editing } = props
  const problems = state.results.problemsOf(row)
  const isEdited = state.results.edited.has(row)
  return (
    <div class={isEdited ? 'grid-row edited' : 'grid-row'} role="row" aria-rowindex={place + 2}>
      {columns.map((column, index) => {
        const wrong =
          column.kind === 'value' && problems.length > 0
            ? problems.filter((item) => item.Field === column.field)
            : []
        const hint = wrong
          .map((item) => `${describeProblem(words, item, undefined)} ${item.ExtendError}`)
          .join('\n')
        return (
          <div
            key={index}
            role="gridcell"
            class={`cell ${column.kind}${wrong.length > 0 ? ' wrong' : ''}`}
            data-cell={`${place}:${index}`}
            tabIndex={props.entryColumn === index ? 0 : -1}
            aria-invalid={wrong.length > 0 ? 'true' : undefined}
            title={hint === '' ? undefined : hint}
          >
            {editing === index && state.sheet !== undefined ? (
              <CellEditor
                label={column.label.text}
                text={textOfCell(state.sheet, row, column.column)}
                onDone={(text, isByKey) => props.onCommit?.({ row: place, column: index }, text, isByKey)}
              />
            ) : (
              cellContent({ ...props, column, problems })
            )}
          </div>
        )
      })}
    </div>
  )
})
