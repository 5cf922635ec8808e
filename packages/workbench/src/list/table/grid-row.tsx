/** One row of the table: its risk and the reasons for it, and cells that can be corrected in place. */
import { Component, h, type FunctionComponent, type VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { describeProblem } from '../../i18n/problem-words.ts'
import type { Words } from '../../i18n/words.ts'
import { cellContent } from './cell-content.tsx'
import { isFixed, type GridColumn } from './grid-columns.ts'
import { LONGEST_NOTE, markOf } from '../history/marks.ts'
import { lineOf, textOfCell, type ListState } from '../list-state.ts'
import { session } from '../../session.ts'
import type { CellPosition } from './use-grid.ts'

export interface GridRowProps {
  /** A property and not a hook: rows come and go while scrolling, and would subscribe each time. */
  readonly words: Words
  readonly row: number
  readonly place: number
  readonly columns: readonly GridColumn[]
  readonly state: ListState
  readonly isYesNo: boolean
  readonly threshold: number | undefined
  /** Whether the panel shows this row. */
  readonly isOpen: boolean
  readonly isDuplicate: boolean
  readonly entryColumn: number
  readonly editing: number
  /**
   * Given to the row that is being edited only, so that the others are not drawn again. `isByKey` is true when Enter or
   * Escape ended the editing; the cursor then stays in the table.
   */
  readonly onCommit: ((place: CellPosition, text: string | undefined, isByKey: boolean) => void) | undefined
}

/** Rows that stay visible while scrolling are not drawn again. The table handles the events of all rows. */
export const GridRow = memo(function Row(props: GridRowProps): VNode {
  const { words, row, place, columns, state, editing } = props
  const problems = state.results.problemsOf(row)
  const isEdited = state.sheet?.corrected.has(row) === true
  const rejected = state.sheet?.rejected.get(row)
  if (rejected !== undefined) return <RejectedRow {...props} cells={rejected.cells} />
  return (
    <div
      class={`grid-row${isEdited ? ' edited' : ''}${props.isOpen ? ' open' : ''}`}
      role="row"
      aria-rowindex={place + 2}
      aria-selected={props.isOpen}
    >
      {columns.map((column, index) => {
        const wrong =
          column.kind === 'value' && problems.length > 0
            ? problems.filter((item) => item.Field === column.field)
            : []
        const hint = wrong.map((item) => describeProblem(words, item, undefined)).join('\n')
        return (
          <div
            key={index}
            // A screen reader says it with every cell of the row.
            role={column.kind === 'identifier' ? 'rowheader' : 'gridcell'}
            class={`cell ${column.kind}${isFixed(column) ? ' fixed' : ''}${column.isFigure ? ' figure' : ''}${wrong.length > 0 ? ' wrong' : ''}${isCorrected(state, row, column) ? ' corrected' : ''}`}
            data-cell={`${place}:${index}`}
            data-label={column.label.text}
            tabIndex={props.entryColumn === index ? 0 : -1}
            aria-invalid={wrong.length > 0 ? 'true' : undefined}
            title={hint === '' ? undefined : hint}
          >
            {editing === index && state.sheet !== undefined ? (
              <CellEditor
                label={column.label.text}
                text={
                  column.kind === 'note'
                    ? markOf(state.marks, row).note
                    : textOfCell(state.sheet, row, column.column)
                }
                most={column.kind === 'note' ? LONGEST_NOTE : undefined}
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

function isCorrected(state: ListState, row: number, column: GridColumn): boolean {
  return column.kind === 'value' && state.sheet?.corrected.get(row)?.has(column.column) === true
}

/** A row whose cells do not fit the header. Which column a cell belongs to is not known, so they stand in one cell. */
function RejectedRow(props: GridRowProps & { readonly cells: readonly string[] }): VNode {
  const { words, row, place, columns, state, cells, isOpen } = props
  const text = words.t('grid.rejected', {
    cells: words.count('cells', cells.length),
    needed: words.number(state.sheet?.columns.length ?? 0),
  })
  return (
    <div
      class={isOpen ? 'grid-row rejected open' : 'grid-row rejected'}
      role="row"
      aria-rowindex={place + 2}
      aria-selected={isOpen}
    >
      <div
        role="gridcell"
        class="cell row"
        data-cell={`${place}:0`}
        tabIndex={props.entryColumn === 0 ? 0 : -1}
      >
        {words.t('row.title', { row: words.number(lineOf(state, row)) })}
      </div>
      <div
        role="gridcell"
        class="cell wrong"
        aria-colspan={columns.length - 1}
        data-cell={`${place}:1`}
        tabIndex={props.entryColumn > 0 ? 0 : -1}
      >
        {text} <span class="quiet">{cells.join(' | ')}</span>
      </div>
    </div>
  )
}

/** A cell while it is corrected. Enter and leaving the cell keep what was typed, Escape does not. */
function CellEditor(props: {
  readonly label: string
  readonly text: string
  readonly most: number | undefined
  readonly onDone: (text: string | undefined, isByKey: boolean) => void
}): VNode {
  const input = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)
  useLayoutEffect(() => {
    input.current?.focus()
    input.current?.select()
  }, [])
  // Leaving the cell by any way ends the editing once.
  const finish = (text: string | undefined, isByKey: boolean): void => {
    if (isDone.current) return
    isDone.current = true
    // A lock takes the cell away while someone types: nobody has decided on that value.
    const isDropped = text === props.text || session.get() === undefined
    props.onDone(isDropped ? undefined : text, isByKey)
  }
  return (
    <input
      ref={input}
      class="cell-editor"
      aria-label={props.label}
      defaultValue={props.text}
      maxLength={props.most}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') finish(event.currentTarget.value, true)
        if (event.key === 'Escape') finish(undefined, true)
      }}
      onBlur={(event) => finish(event.currentTarget.value, false)}
    />
  )
}

/** A component that is drawn again only when one of its properties has changed. */
function memo<P extends object>(draw: FunctionComponent<P>): new (props: P) => Component<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const before: Readonly<Record<string, unknown>> = { ...this.props }
      return Object.entries(next).some(([name, value]) => before[name] !== value)
    }
    override render(): VNode {
      return h(draw as FunctionComponent<object>, this.props)
    }
  }
}
