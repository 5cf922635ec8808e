/** What a column may mean: nothing, an identifier, or a field; those that the model asks come first. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { subjectOf } from '../../i18n/field-names.ts'
import { allowedOf } from '../../i18n/problem-words.ts'
import { useWords, type Words } from '../../i18n/words.ts'
import type { Loaded } from '../../session.ts'
import type { Field } from '../../shapes/fields.ts'
import { IDENTIFIER, NOT_USED } from './match-columns.ts'

interface MatchSelectProps extends Loaded {
  readonly column: string
  readonly match: string
  readonly onChoose: (match: string) => void
}

/**
 * Fields that the model does not ask are some hundred, and a sheet may have a hundred columns: all choices of all columns would block
 * the page for seconds. They are filled in when somebody comes to the control, before it opens.
 */
export function MatchSelect({ model, catalogue, column, match, onChoose }: MatchSelectProps): VNode {
  const { t, language } = useWords()
  const [isFilled, setFilled] = useState(false)
  const fill = (): void => setFilled(true)
  const own = new Set(model.inputs.map(({ name }) => name))
  const option = (field: Field): VNode => {
    const label = subjectOf(language, catalogue, field.name)
    return (
      <option key={field.name} value={field.name} lang={label.lang}>
        {label.text}
      </option>
    )
  }
  return (
    <select
      aria-label={t('match.meaningOf', { column })}
      value={match}
      onPointerEnter={fill}
      onPointerDown={fill}
      onFocus={fill}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value={NOT_USED}>{t('match.unused')}</option>
      <option value={IDENTIFIER}>{t('match.identifier')}</option>
      <optgroup label={t('match.own')}>
        {catalogue.fields.filter(({ name }) => own.has(name)).map(option)}
      </optgroup>
      <optgroup label={t('match.others')}>
        {catalogue.fields.filter(({ name }) => !own.has(name) && (isFilled || name === match)).map(option)}
      </optgroup>
    </select>
  )
}

/** Codes come with their meaning, because M stands for male here and for mujer elsewhere. */
export function allowedText(words: Words, field: Field): string {
  if (field.type === 'boolean') return words.t('match.yesNo')
  if (field.type === 'date') return words.t('match.date')
  if (field.type === 'string' && field.valueMeanings !== undefined) {
    return Object.entries(field.valueMeanings)
      .map(([code, meaning]) => `${code} = ${words.serviceText(meaning)}`)
      .join(', ')
  }
  return allowedOf(words, field)
}
