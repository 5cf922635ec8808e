/** What a cell of the table shows. A list has thousands of them, so they hold no state and listen to nothing. */
import type { VNode } from 'preact'
import type { Words } from '../i18n/words.ts'
import type { ErrorItem } from '../shapes/answers.ts'
import type { GridColumn } from './grid-columns.ts'
import { identifierOf, textOfCell, type ListState } from './list-state.ts'

export interface CellContentProps {
  readonly words: Words
  readonly row: number
  readonly state: ListState
  readonly isYesNo: boolean
  readonly threshold: number | undefined
  readonly column: GridColumn
  readonly problems: readonly ErrorItem[]
}

export function cellContent(props: CellContentProps): VNode | string {
  const { words, row, state, column, problems, isYesNo, threshold } = props
  switch (column.kind) {
    case 'row':
      return words.number(row + 1)
    case 'identifier':
      return identifierOf(state, row)
    case 'problems':
      return problems.length === 0 ? (
        <span class="quiet">–</span>
      ) : (
        <span class="tag bad">{words.count('problems', problems.length)}</span>
      )
    case 'value':
      return state.sheet === undefined ? '' : textOfCell(state.sheet, row, column.column)
    case 'risk': {
      const risk = state.results.riskOf(row)
      if (risk === undefined) return <span class="quiet">{words.t('grid.noRisk')}</span>
      const text = isYesNo ? words.t(risk === 1 ? 'result.yes' : 'result.no') : words.risk(risk)
      const isHigh = threshold !== undefined && risk >= threshold
      return (
        <button
          type="button"
          class={isHigh ? 'risk-button high' : 'risk-button'}
          tabIndex={-1}
          aria-label={words.t('grid.why', { risk: text })}
        >
          {text}
        </button>
      )
    }
  }
}
