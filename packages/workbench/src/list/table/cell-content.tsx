/** What a cell of the table shows. A list has thousands of cells, so they hold no state and have no listeners. */
import type { VNode } from 'preact'
import type { Words } from '../../i18n/words.ts'
import type { ErrorItem } from '../../shapes/answers.ts'
import type { GridColumn } from './grid-columns.ts'
import { markOf, nextState } from '../history/marks.ts'
import { identifierOf, lineOf, textOfCell, type ListState } from '../list-state.ts'
import { PLAIN_READING, saidOf } from '../match/convert-cell.ts'
import { OWN } from '../match/stated-measure.ts'
import { reasonText } from './row-reason-text.ts'
import { rangeWords, riskWord } from './risk-word.ts'
import { sentColumns, valueOf } from '../score/row-text.ts'

export interface CellContentProps {
  readonly words: Words
  readonly row: number
  readonly state: ListState
  readonly isYesNo: boolean
  readonly threshold: number | undefined
  readonly column: GridColumn
  readonly problems: readonly ErrorItem[]
  readonly isDuplicate: boolean
}

export function cellContent(props: CellContentProps): VNode | string {
  const { words, row, state, column, isYesNo, threshold } = props
  switch (column.kind) {
    case 'row':
      return words.number(lineOf(state, row))
    case 'identifier':
      return identifierOf(state, row)
    case 'reasons':
      return reasonsCell(props)
    case 'state': {
      const { state: own } = markOf(state.marks, row)
      const text = words.t(`state.${own}`)
      return (
        <button
          type="button"
          class={`tag state-button ${own}`}
          tabIndex={-1}
          aria-label={words.t('state.next', { state: text, next: words.t(`state.${nextState(own)}`) })}
        >
          {text}
        </button>
      )
    }
    case 'note':
      return markOf(state.marks, row).note
    case 'extra':
      return state.sheet === undefined ? '' : textOfCell(state.sheet, row, column.column)
    case 'value':
      return meantText(words, state, row, column.column)
    case 'risk': {
      if (state.results.pending.has(row)) return <span class="quiet">…</span>
      if (state.results.unanswered.has(row)) {
        return (
          <button type="button" class="risk-button retry-button" tabIndex={-1}>
            {words.t('grid.unscored')}
          </button>
        )
      }
      const risk = state.results.riskOf(row)
      if (risk === undefined) return noRiskCell(words, state, row)
      const word = riskWord(words, state, row)
      const text = isYesNo ? words.t(risk === 1 ? 'result.yes' : 'result.no') : words.risk(risk, threshold)
      const isHigh = threshold !== undefined && risk >= threshold
      return (
        <>
          <button
            type="button"
            class={isHigh ? 'risk-button high' : 'risk-button'}
            tabIndex={-1}
            aria-label={words.t('grid.why', { risk: word === '' ? text : `${text}, ${word}` })}
          >
            {text}
          </button>
          {/* The button says it already. */}
          {word !== '' && (
            <span class="risk-word high" aria-hidden="true">
              {word}
            </span>
          )}
        </>
      )
    }
  }
}

/** Without a risk, but with the ends between which it lies where the service gives them. */
function noRiskCell(words: Words, state: ListState, row: number): VNode {
  const range = rangeWords(words, state, row)
  if (range === undefined) return <span class="quiet">{words.t('grid.noRisk')}</span>
  return (
    <>
      <span class="risk-range">{range.ends}</span>
      <span class="risk-word">{range.word}</span>
    </>
  )
}

/** What is to be checked in a row, which opens it, and why it has its risk. */
function reasonsCell({ words, state, row, problems: found, isDuplicate }: CellContentProps): VNode {
  const problems = found.length
  const notices = state.results.notices[row]?.length ?? 0
  const text = reasonText(words, state, row)
  return (
    <>
      {problems > 0 && (
        <button type="button" class="tag bad problem-button" tabIndex={-1}>
          {words.count('problems', problems)}
        </button>
      )}
      {notices > 0 && (
        <button
          type="button"
          class="tag warn problem-button"
          tabIndex={-1}
          aria-label={words.count('notices', notices)}
        >
          {problems > 0 ? `+${words.number(notices)}` : words.count('notices', notices)}
        </button>
      )}
      {isDuplicate && (
        <button type="button" class="tag warn problem-button" tabIndex={-1}>
          {words.t('work.duplicate')}
        </button>
      )}
      <span class="reasons-text">{text}</span>
    </>
  )
}

/** A cell, and what the reader said that its value means: M of a Spanish file is shown under "Sex" as "M → F". */
function meantText(words: Words, state: ListState, row: number, column: number): VNode | string {
  const { sheet, readings } = state
  if (sheet === undefined) return ''
  const text = textOfCell(sheet, row, column)
  const reading = readings[column] ?? PLAIN_READING
  const meant = saidOf(reading, text.trim()) ?? convertedText(words, state, row, column)
  if (meant === '' || meant === text.trim()) return text
  const isYesNo = meant === 'true' || meant === 'false'
  return (
    <span class="meant">
      <span>{`${text} `}</span>
      <span>{`→ ${isYesNo ? words.t(meant === 'true' ? 'result.yes' : 'result.no') : meant}`}</span>
    </span>
  )
}

/** A number of a column that is converted, in the field's own unit: 2 weeks are shown as "2 → 14". */
function convertedText(words: Words, state: ListState, row: number, column: number): string {
  const { sheet, readings, scoredBy } = state
  const measure = readings[column]?.measure ?? ''
  if (sheet === undefined || measure === '' || measure === OWN) return ''
  const sent = sentColumns(state, scoredBy?.catalogue.fields ?? []).find((each) => each.column === column)
  const value = sent === undefined ? undefined : valueOf(sheet, sheet.rows[row]?.[column], sent)
  return typeof value === 'number' ? words.number(value) : ''
}
