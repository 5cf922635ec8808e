/** One patient of a list: the risk and the reasons, what is wrong, the cells to correct, state and note; then the next patient. */
import type { VNode } from 'preact'
import { useWords, type Words } from '../../i18n/words.ts'
import { useShared } from '../../state.ts'
import { Button } from '../../ui/button.tsx'
import { MarkForm } from '../history/mark-form.tsx'
import {
  identifierOf,
  isYesNo,
  lineOf,
  list,
  listThreshold,
  type ListState,
  type ScoredBy,
} from '../list-state.ts'
import type { Duplicates } from '../table/duplicates.ts'
import { rangeWords, riskWord } from '../table/risk-word.ts'
import { CorrectFields } from './correct-fields.tsx'
import { openAsPatient } from './open-as-patient.ts'
import { PanelFrame } from './panel-frame.tsx'
import { RowAnswer } from './row-answer.tsx'
import { RowProblems } from './row-problems.tsx'

export interface PatientPanelProps {
  readonly row: number
  /** The rows that are shown, in their order. */
  readonly rows: Uint32Array
  readonly duplicates: Duplicates
  readonly scoredBy: ScoredBy
}

export function PatientPanel(props: PatientPanelProps): VNode {
  const { row, rows, duplicates, scoredBy } = props
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const rejected = state.sheet?.rejected.get(row)
  const identifier = identifierOf(state, row)
  const line = t('row.title', { row: words.number(lineOf(state, row)) })
  const title = identifier === '' ? line : identifier
  const same = duplicates.others(row).map((each) => words.number(lineOf(state, each)))
  return (
    <PanelFrame title={title} onClose={() => list.patch({ openRow: undefined })}>
      <Steps row={row} rows={rows} title={title} />
      {same.length > 0 && (
        <p class="notice warn">{t('work.sameIdentifier', { lines: same.slice(0, 5).join(', ') })}</p>
      )}
      {rejected === undefined ? (
        <RowAnswer key={row} row={row} scoredBy={scoredBy}>
          <CorrectFields row={row} scoredBy={scoredBy} />
        </RowAnswer>
      ) : (
        <>
          <RowProblems row={row} catalogue={scoredBy.catalogue} isInFields={() => false} />
          <p class="original">{rejected.cells.join(' | ')}</p>
        </>
      )}
      <MarkForm row={row} />
      {rejected === undefined && (
        <div class="actions">
          <Button onClick={() => openAsPatient(row, scoredBy)} text={t('row.open')} />
        </div>
      )}
    </PanelFrame>
  )
}

/** The patient before and after in the table, and which of them this is. */
function Steps(props: { readonly row: number; readonly rows: Uint32Array; readonly title: string }): VNode {
  const { row, rows, title } = props
  const words = useWords()
  const { t } = words
  const state = useShared(list)
  const place = rows.indexOf(row)
  const previous = rows[place - 1]
  // A row that a filter has taken away meanwhile has no place: the next one is the first.
  const next = rows[place + 1]
  const said = [title, ...riskSaid(words, state, row)]
  return (
    <div class="steps" role="group" aria-label={t('work.steps')}>
      <Step
        class="previous-row"
        row={place < 0 ? undefined : previous}
        name={t('work.previous')}
        text={t('trees.previous')}
      />
      <Step class="next-row" row={next} name={t('work.next')} text={t('trees.next')} />
      <p class="quiet">
        {place < 0
          ? t('work.notShown')
          : t('work.place', { n: words.number(place + 1), rows: words.number(rows.length) })}
      </p>
      <p class="visually-hidden" role="status">
        {said.filter((each) => each !== '').join(', ')}
      </p>
    </div>
  )
}

/** The risk and its word, as they are announced with each patient and after each correction. */
function riskSaid(words: Words, state: ListState, row: number): readonly string[] {
  const { results, scoredBy } = state
  if (scoredBy === undefined || results.isUnscored(row)) return []
  const risk = results.riskOf(row)
  if (risk === undefined) {
    const range = rangeWords(words, state, row)
    return [words.t('result.none'), ...(range === undefined ? [] : [range.ends, range.word])]
  }
  if (isYesNo(scoredBy)) return [words.t(risk === 1 ? 'result.yes' : 'result.no')]
  return [words.risk(risk, listThreshold(scoredBy)), riskWord(words, state, row)]
}

function Step(props: {
  readonly class: string
  readonly row: number | undefined
  /** What it leads to, for readers who do not see the panel around it. */
  readonly name: string
  readonly text: string
}): VNode {
  const { row } = props
  return (
    <button
      type="button"
      class={`small ${props.class}`}
      aria-label={props.name}
      // Not `disabled`, which would take the focus away at the last patient.
      aria-disabled={row === undefined}
      onClick={() => {
        if (row !== undefined) list.patch({ openRow: row })
      }}
    >
      {props.text}
    </button>
  )
}
