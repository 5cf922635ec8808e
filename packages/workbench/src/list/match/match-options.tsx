/** What a column may mean: nothing, an identifier, or a field; those that the model asks come first. */
import type { VNode } from 'preact'
import { subjectOf } from '../../i18n/field-names.ts'
import { allowedOf } from '../../i18n/problem-words.ts'
import { useWords, type Words } from '../../i18n/words.ts'
import type { Language } from '../../i18n/language.ts'
import type { Loaded } from '../../session.ts'
import type { Field } from '../../shapes/fields.ts'
import { IDENTIFIER, NOT_USED } from './match-columns.ts'

export function MatchOptions(props: Loaded & { readonly language: Language }): VNode {
  const { t } = useWords()
  const { model, catalogue, language } = props
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
    <>
      <option value={NOT_USED}>{t('match.unused')}</option>
      <option value={IDENTIFIER}>{t('match.identifier')}</option>
      <optgroup label={t('match.own')}>
        {catalogue.fields.filter(({ name }) => own.has(name)).map(option)}
      </optgroup>
      <optgroup label={t('match.others')}>
        {catalogue.fields.filter(({ name }) => !own.has(name)).map(option)}
      </optgroup>
    </>
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
