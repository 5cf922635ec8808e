/** One row of the table: its risk, its problems, and cells that can be put right in place. */
import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { describeProblem } from '../i18n/problem-words.ts'
import type { Words } from '../i18n/words.ts'
import type { ErrorItem } from '../shapes/answers.ts'
import type { GridColumn } from './grid-columns.ts'
import { identifierOf, textOfCell, type ListState } from './list-state.ts'
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
  readonly onActivate: (place: Place) => void
  readonly onChoose: (place: Place) => void
  /** `isByKey` when Enter or Escape ended the editing, so that the cursor stays in the table. */
  readonly onCommit: (place: Place, text: string | undefined, isByKey: boolean) => void
}

export function GridRow(props: GridRowProps): VNode {
  const { words, row, place, columns, state, editing } = props
  const problems = state.results.problemsOf(row)
  const isEdited = state.results.edited.has(row)
  return (
    <div class={isEdited ? 'grid-row edited' : 'grid-row'} role="row" aria-rowindex={place + 2}>
      {columns.map((column, index) => {
        const at = { row: place, column: index }
        const wrong = column.kind === 'value' ? problems.filter((item) => item.Field === column.field) : []
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
            onClick={() => (wrong.length > 0 ? props.onActivate(at) : props.onChoose(at))}
            onDblClick={() => props.onActivate(at)}
            onKeyDown={(event) => {
              if (event.target !== event.currentTarget || (event.key !== 'Enter' && event.key !== 'F2'))
                return
              event.preventDefault()
              props.onActivate(at)
            }}
          >
            {editing === index && state.sheet !== undefined ? (
              <CellEditor
                label={column.label.text}
                text={textOfCell(state.sheet, row, column.column)}
                onDone={(text, isByKey) => props.onCommit(at, text, isByKey)}
              />
            ) : (
              <CellContent
                {...props}
                column={column}
                problems={problems}
                onOpen={() => props.onActivate(at)}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}

function CellContent(
  props: GridRowProps & {
    readonly column: GridColumn
    readonly problems: readonly ErrorItem[]
    readonly onOpen: () => void
  },
): VNode {
  const { words, row, state, column, problems, isYesNo, threshold } = props
  switch (column.kind) {
    case 'row':
      return <>{words.number(row + 1)}</>
    case 'identifier':
      return <>{identifierOf(state, row)}</>
    case 'problems':
      return problems.length === 0 ? (
        <span class="quiet">–</span>
      ) : (
        <span class="tag bad">{words.count('problems', problems.length)}</span>
      )
    case 'value':
      return <>{state.sheet === undefined ? '' : textOfCell(state.sheet, row, column.column)}</>
    case 'risk': {
      const risk = state.results.riskOf(row)
      if (risk === undefined) return <span class="quiet">{words.t('grid.noRisk')}</span>
      const text = isYesNo ? words.t(risk === 1 ? 'result.yes' : 'result.no') : words.percent(risk)
      const isHigh = threshold !== undefined && risk >= threshold
      return (
        <button
          type="button"
          class={isHigh ? 'risk-button high' : 'risk-button'}
          tabIndex={-1}
          aria-label={words.t('grid.why', { risk: text })}
          onClick={props.onOpen}
        >
          {text}
        </button>
      )
    }
  }
}

function CellEditor(props: {
  readonly label: string
  readonly text: string
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
    props.onDone(text === props.text ? undefined : text, isByKey)
  }
  return (
    <input
      ref={input}
      class="cell-editor"
      aria-label={props.label}
      defaultValue={props.text}
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
