/** The cells of a row that were sent, each with what is wrong with it. A corrected one is scored again when it is left. */
import type { VNode } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { labelOf } from '../../i18n/field-names.ts'
import { useWords } from '../../i18n/words.ts'
import { fieldIn } from '../../patient/form/read-input.ts'
import { session } from '../../session.ts'
import { useShared } from '../../state.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { list, textOfCell, type ScoredBy } from '../list-state.ts'
import { allowedText } from '../match/match-options.tsx'
import { correctOne } from '../score/correct-rows.ts'
import { sentColumns, type SentColumn } from '../score/row-text.ts'
import { RowProblems } from './row-problems.tsx'

export function CorrectFields({ row, scoredBy }: Readonly<{ row: number; scoredBy: ScoredBy }>): VNode {
  const { t } = useWords()
  const state = useShared(list)
  const { catalogue, model } = scoredBy
  const sent = sentColumns(state, catalogue.fields)
  const isOwn = ({ field }: SentColumn): boolean => model.inputs.some(({ name }) => name === field.name)
  const isInFields = ({ Field: name }: { Field: string }): boolean =>
    sent.some(({ field }) => field.name === name)
  // What the model asks comes first; other columns only where something is wrong with them.
  const isWrong = ({ field }: SentColumn): boolean =>
    state.results.problemsOf(row).some((item) => item.Field === field.name)
  const shown = [...sent.filter(isOwn), ...sent.filter((each) => !isOwn(each) && isWrong(each))]
  return (
    <section class="correct-fields" aria-labelledby="values-title">
      <h3 id="values-title">{t('work.values')}</h3>
      <RowProblems row={row} catalogue={catalogue} isInFields={isInFields} />
      {shown.map((each) => (
        <CorrectField key={`${row} ${each.column}`} row={row} sent={each} scoredBy={scoredBy} />
      ))}
    </section>
  )
}

function CorrectField(props: {
  readonly row: number
  readonly sent: SentColumn
  readonly scoredBy: ScoredBy
}): VNode {
  const { row, sent, scoredBy } = props
  const { column, reading } = sent
  const words = useWords()
  const state = useShared(list)
  const id = useId()
  const text = state.sheet === undefined ? '' : textOfCell(state.sheet, row, column)
  const [typed, setTyped] = useState(text)
  // Undo, or the same correction for many rows, changes the cell from elsewhere.
  useEffect(() => setTyped(text), [text])
  const field = fieldIn(sent.field, reading.unit)
  const scale = scoredBy.catalogue.scales.find((each) => each.id === field.scale)
  const label = labelOf(words.language, field, scale)
  const unit = field.unit === undefined ? '' : ` (${words.serviceText(field.unit)})`
  const problems = state.results.problemsOf(row).filter((item) => item.Field === field.name)
  const before = state.sheet?.corrected.get(row)?.get(column)
  const commit = (next: string): void => {
    // A lock takes the field away while someone types: nobody has decided on that value.
    if (next !== text && session.get() !== undefined) correctOne(row, column, next)
  }
  return (
    <div class="correct-field">
      <label for={id} lang={label.lang}>
        {`${label.text}${unit}`}
      </label>
      <input
        id={id}
        value={typed}
        autocomplete="off"
        aria-invalid={problems.length > 0 ? 'true' : undefined}
        aria-describedby={`${id}-hint`}
        title={allowedText(words, field)}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => commit(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || typed === text) return
          // Takes the typing back; the panel stays.
          event.preventDefault()
          event.stopPropagation()
          setTyped(text)
        }}
      />
      <div id={`${id}-hint`}>
        {before !== undefined && (
          <p class="quiet">
            {words.t('work.wasCell', { value: before === '' ? words.t('history.empty') : before })}
          </p>
        )}
        {problems.map((item) => (
          <ProblemNote key={item.ExtendError} item={item} field={field} />
        ))}
      </div>
    </div>
  )
}
