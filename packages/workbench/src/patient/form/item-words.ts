/** Words on the values of instrument items, where the catalogue has figures only. */
import { lookUp } from '../../i18n/translate.ts'
import type { Words } from '../../i18n/words.ts'
import type { Field } from '../../shapes/fields.ts'

/** Lists of conditions: 0 is "no" and any other value is "yes". In other scales a point may mean "no", so nothing is assumed. */
const LISTS_OF_CONDITIONS: ReadonlySet<string> = new Set([
  'charlson',
  'laceCharlson',
  'frail',
  'fried',
  'cam',
  'downton',
])

export interface ValueLabel {
  readonly shown: string
  readonly meaning: string | undefined
}

/** The label of a value's button: Yes or No for a condition, else the number with its meaning. */
export function valueLabel(words: Words, field: Field, value: number | string): ValueLabel {
  const shown = typeof value === 'number' ? words.number(value) : value
  const known = field.valueMeanings?.[String(value)]
  if (known !== undefined) return { shown, meaning: words.serviceText(known) }
  if (isCondition(field)) return yesOrNo(words, Number(value))
  const named = lookUp(words.language, `item.${field.name}.${value}`)
  if (named !== undefined || field.role !== 'item') return { shown, meaning: named }
  // Items of a scale may share their words. Its total and its other fields have the same figures with another meaning.
  return { shown, meaning: lookUp(words.language, `item.${field.scale ?? ''}.${value}`) }
}

export function isCondition({ scale, role, values, valueMeanings }: Field): boolean {
  return (
    role === 'item' &&
    valueMeanings === undefined &&
    LISTS_OF_CONDITIONS.has(scale ?? '') &&
    values?.length === 2 &&
    values[0] === 0
  )
}

function yesOrNo({ t, count }: Words, value: number): ValueLabel {
  if (value === 0) return { shown: t('result.no'), meaning: undefined }
  return {
    shown: t('result.yes'),
    meaning: value === 1 ? undefined : count('points', value),
  }
}
