/** A result in words: the same figures on the screen, in copied text and on paper. */
import { subjectOf } from '../../i18n/field-names.ts'
import type { Words } from '../../i18n/words.ts'
import type { Explained, Explanation, PatientRecord } from '../../shapes/answers.ts'
import type { FieldCatalogue, Value } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import { contributionsOf } from './group-terms.ts'
import type { Baseline } from '../patient-state.ts'
import { scoreText } from './score-text.ts'
import { uncommonValues, type Uncommon } from './typical-patient.ts'

export interface ResultText {
  readonly model: Model
  readonly catalogue: FieldCatalogue
  readonly result: Explained
  readonly typical: Explanation | undefined
  readonly typed: Readonly<Record<string, string>>
  readonly units: Readonly<Record<string, string>>
  /** The record that the result belongs to. */
  readonly record: PatientRecord
  readonly baseline: Baseline | undefined
  readonly answeredAt: number
}

/** A result as plain text, to be pasted into a letter or a record. A what-if says so, and gives the real result too. */
export function resultAsText(words: Words, parts: ResultText): string {
  const { t } = words
  const { model, catalogue, result, typical, baseline } = parts
  const { explanation } = result
  const score = explanation === null ? undefined : scoreText(words, model, explanation)
  const lines = [
    words.serviceText(model.title),
    words.serviceText(model.card.outcome),
    '',
    ...(baseline === undefined
      ? [`${t('result.risk')}: ${riskText(words, result)}`]
      : [
          t('whatif.notReal'),
          `${t('whatif.real')}: ${riskText(words, baseline.result)}`,
          `${t('whatif.tried')}: ${riskText(words, result)}`,
          ...changesOf(words, catalogue, baseline, parts).map((change) => `- ${change}`),
        ]),
    ...(score === undefined ? [] : [score]),
    '',
    `${t('result.why')}:`,
    ...(explanation === null ? [] : contributionsOf(explanation, typical)).map(
      ({ label, points, values }) => {
        const used = values.map((each) => usedText(words, catalogue, each)).join(', ')
        return `- ${words.serviceText(label)} (${used}): ${contributionText(words, explanation, points)}`
      },
    ),
    ...(typical === undefined ? [] : [comparisonText(words, model, catalogue, typical)]),
    '',
    `${t('result.madeFor')}: ${words.serviceText(model.card.population)} ${words.serviceText(model.card.setting)}`,
    ...uncommonValues(model, parts.record).map((each) => `- ${uncommonText(words, catalogue, each)}`),
    `${t('result.model')}: ${model.id}@${model.version}, ${model.digest}`,
    `${t('result.when')}: ${words.time(parts.answeredAt)}`,
    t('result.caution'),
  ]
  return lines.join('\n')
}

export function riskText(words: Words, result: Explained): string {
  const { risk, explanation } = result
  if (risk === null) return words.t('result.none')
  if (typeof risk === 'number') return `${words.risk(risk)} (${words.number(risk, 4)})`
  const word = words.t(risk === 'Yes' ? 'result.yes' : 'result.no')
  return explanation === null ? word : `${word} (${words.risk(explanation.probability)})`
}

/** What a what-if changed: "Age: 84 → 79". */
export function changesOf(
  words: Words,
  catalogue: FieldCatalogue,
  baseline: Baseline,
  { typed, units }: Pick<ResultText, 'typed' | 'units'>,
): readonly string[] {
  return [...new Set([...Object.keys(baseline.typed), ...Object.keys(typed)])]
    .filter((name) => (baseline.typed[name] ?? '') !== (typed[name] ?? ''))
    .map((name) => {
      const shown = (text: string | undefined): string => (text === undefined || text === '' ? '–' : text)
      const label = subjectOf(words.language, catalogue, name).text
      const unit = unitText(words, catalogue, name, units[name])
      return `${label}: ${shown(baseline.typed[name])} → ${shown(typed[name])}${unit}`
    })
}

/** Whom the contributions are compared with: "a typical patient of the model's data: Age 72, Sex F". */
export function comparisonText(
  words: Words,
  model: Model,
  catalogue: FieldCatalogue,
  typical: Explanation,
): string {
  const values = typical.terms.flatMap((term) => term.values)
  const named = new Map(values.map(({ field, value }) => [field, value]))
  const patient = [...named]
    .map(([field, value]) => {
      const known = catalogue.fields.find(({ name }) => name === field)
      const meaning = known?.valueMeanings?.[String(value)]
      const shown =
        meaning === undefined ? usedText(words, catalogue, { field, value }) : words.serviceText(meaning)
      return `${subjectOf(words.language, catalogue, field).text} ${shown}`
    })
    .join(', ')
  return words.t('why.against', { patient, rows: words.number(model.profile?.rows ?? 0) })
}

/** The factor on the odds for a logistic model, else points. */
export function contributionText(words: Words, explanation: Explanation | null, points: number): string {
  return explanation?.intercept === undefined
    ? signed(words, points)
    : `× ${words.fixed(Math.exp(points), 2)}`
}

/** A value that was used, with its unit where the field has several. */
export function usedText(
  words: Words,
  catalogue: FieldCatalogue,
  { field, value }: { readonly field: string; readonly value: Value },
): string {
  return valueText(words, value) + unitText(words, catalogue, field)
}

/** " g/dL" for a field that has several units, else nothing. */
function unitText(words: Words, { fields }: FieldCatalogue, name: string, chosen?: string): string {
  const field = fields.find((each) => each.name === name)
  if (field?.unit === undefined || field.otherUnits === undefined) return ''
  return ` ${words.serviceText(chosen ?? field.unit)}`
}

/** "Length of stay: 60 is outside the model's data, which go from 1 to 14." */
export function uncommonText(words: Words, catalogue: FieldCatalogue, each: Uncommon): string {
  const { t } = words
  const name = subjectOf(words.language, catalogue, each.field).text
  const field = catalogue.fields.find((known) => known.name === each.field)
  const number = (value: number): string =>
    words.number(Number(value.toPrecision(4))) + unitText(words, catalogue, each.field)
  if (each.kind === 'code') {
    const meaning = field?.valueMeanings?.[each.code]
    const range = meaning === undefined ? each.code : words.serviceText(meaning)
    if (each.share === 0) return t('uncommon.none', { name, range })
    return t('uncommon.share', { name, range, share: words.percent(each.share, 0) })
  }
  if (each.kind === 'outside') {
    return t(each.value < each.end ? 'uncommon.lowest' : 'uncommon.highest', {
      name,
      value: number(each.value),
      end: number(each.end),
    })
  }
  const range = t(each.isUpper ? 'uncommon.from' : 'uncommon.below', { cut: number(each.cut) })
  const said = t('uncommon.share', { name, range, share: words.percent(each.share, 0) })
  return each.hasEnd ? said : `${said} ${t('uncommon.open')}`
}

export function valueText(words: Words, value: Value): string {
  if (typeof value === 'number') return words.number(value)
  if (typeof value === 'boolean') return words.t(value ? 'result.yes' : 'result.no')
  return value
}

/** With its sign, and a true minus. */
export function signed(words: Words, points: number): string {
  const text = words.number(Math.abs(points), 2)
  return points > 0 ? `+${text}` : points < 0 ? `−${text}` : text
}
