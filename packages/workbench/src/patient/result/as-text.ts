/** A result in words: the same figures on the screen, in copied text and on paper. */
import { alarmOf } from '../../calibration-alarm.ts'
import { effectName, subjectOf } from '../../i18n/field-names.ts'
import { noticeText } from '../../i18n/notice-words.ts'
import type { Label } from '../../i18n/phrases.ts'
import type { Words } from '../../i18n/words.ts'
import { evidenceTexts, localEvidence } from '../../local-evidence.ts'
import { isExample, offlineFacts } from '../../service.ts'
import type { Explained, ExplainedTerm, Explanation } from '../../shapes/answers.ts'
import type { FieldCatalogue, Value } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import type { Baseline } from '../patient-state.ts'
import { rangeTexts, samplingTexts, scaleText, thresholdOf } from './rests-on-words.ts'
import { scoreText } from './score-text.ts'

export interface ResultText {
  readonly model: Model
  readonly catalogue: FieldCatalogue
  readonly result: Explained
  readonly typed: Readonly<Record<string, string>>
  readonly units: Readonly<Record<string, string>>
  readonly baseline: Baseline | undefined
  readonly answeredAt: number
  /** The month of the alarm of calibration that was open when the result came. */
  readonly alarm: string
}

/** A result as plain text, to be pasted into a letter or a record. A what-if says so, and gives the real result too. */
export function resultAsText(words: Words, parts: ResultText): string {
  const { t } = words
  const { model, catalogue, result, baseline } = parts
  const { explanation } = result
  const score = explanation === null ? undefined : scoreText(words, model, explanation)
  const lines = [
    words.serviceText(model.title),
    words.serviceText(model.card.outcome),
    '',
    ...(baseline === undefined
      ? [`${t('result.risk')}: ${riskText(words, model, result)}`]
      : [
          t('whatif.notReal'),
          t('whatif.noEffect'),
          `${t('whatif.real')}: ${riskText(words, model, baseline.result)}`,
          `${t('whatif.tried')}: ${riskText(words, model, result)}`,
          ...changesOf(words, catalogue, baseline, parts).map((change) => `- ${change}`),
        ]),
    ...alarmTexts(words, model.deployment.name, parts.alarm),
    ...(explanation === null
      ? []
      : evidenceTexts(words, localEvidence.get(), model.deployment.digest, explanation.probability)),
    ...(score === undefined ? [] : [score]),
    ...samplingTexts(words, explanation),
    ...rangeTexts(words, catalogue, result, thresholdOf(model)),
    ...titled(
      t('result.notices'),
      result.notices.map((notice) => noticeText(words, catalogue, notice).text),
    ),
    ...titled(
      t('result.scales'),
      result.scales.map((state) => scaleText(words, catalogue, state)),
    ),
    ...titled(
      t('result.why'),
      contributionsOf(words, catalogue, explanation).map(({ label, points, values }) => {
        const used = values.map((each) => usedText(words, catalogue, each)).join(', ')
        return `${label.text} (${used}): ${contributionText(words, explanation, points)}`
      }),
    ),
    ...comparisonTexts(words, model, catalogue, explanation),
    '',
    `${t('result.madeFor')}: ${words.serviceText(model.card.population)} ${words.serviceText(model.card.setting)}`,
    ...originTexts(words, model),
    `${t('result.when')}: ${words.time(parts.answeredAt)}`,
    t('result.caution'),
  ]
  return lines.join('\n')
}

/** That an alarm of calibration is open now, or was when the number was given. */
export function alarmTexts({ t, month }: Words, deployment: string, answered: string): readonly string[] {
  const alarm = answered === '' ? alarmOf(deployment) : answered
  return alarm === '' ? [] : [`${t('calibration.title', { month: month(alarm) })} ${t('calibration.text')}`]
}

export function riskText(words: Words, model: Model, result: Explained): string {
  const { risk, explanation } = result
  const threshold = thresholdOf(model)
  if (risk === null) return words.t('result.none')
  if (typeof risk === 'number') return `${words.risk(risk, threshold)} (${words.number(risk, 4)})`
  const word = words.t(risk === 'Yes' ? 'result.yes' : 'result.no')
  return explanation === null ? word : `${word} (${words.risk(explanation.probability, threshold)})`
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

/** An input and what it adds, with the values behind it. The largest comes first. */
interface Contribution extends Pick<ExplainedTerm, 'points' | 'values'> {
  readonly label: Label
}

/** What each input adds to the score of a typical patient; the terms of a model that does not state one. */
export function contributionsOf(
  { language }: Words,
  catalogue: FieldCatalogue,
  explanation: Explanation | null,
): readonly Contribution[] {
  const { contributions = null, terms = [] } = explanation ?? {}
  const used = new Map(terms.flatMap(({ values }) => values.map((each) => [each.field, each] as const)))
  const all =
    contributions?.map(({ fields, ...each }) => {
      return { ...each, values: fields.flatMap((field) => used.get(field) ?? []) }
    }) ?? [...terms].sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
  return all.map(({ label, points, values }) => {
    return { label: effectName(language, catalogue, label, values[0]?.field), points, values }
  })
}

/** Whom the contributions are compared with: "a typical patient of the model's data: Age 65, Sex female". */
export function comparisonTexts(
  words: Words,
  model: Model,
  catalogue: FieldCatalogue,
  explanation: Explanation | null,
): readonly string[] {
  // Without contributions the terms are shown, and they are not compared with that patient.
  const reference = explanation?.contributions === null ? null : (explanation?.reference ?? null)
  if (reference === null) return explanation?.intercept === undefined ? [] : [words.t('why.againstZero')]
  const patient = Object.entries(reference.values)
    .map(([name, value]) => {
      const field = catalogue.fields.find((each) => each.name === name)
      const meaning = field?.valueMeanings?.[String(value)]
      const unit = field?.modelUnit ?? field?.unit
      const shown =
        meaning === undefined
          ? usedText(words, catalogue, { field: name, value, ...(unit === undefined ? {} : { unit }) })
          : words.serviceText(meaning)
      return `${subjectOf(words.language, catalogue, name).text} ${shown}`
    })
    .join(', ')
  const rows = words.number(model.profile?.rows ?? 0)
  return [words.t('why.against', { patient, rows, risk: words.risk(reference.risk) })]
}

/** The model and the state of the deployment that answered. */
export function originTexts({ t }: Words, { id, version, digest, deployment }: Model): readonly string[] {
  return [
    `${t('result.model')}: ${id}@${version}, ${digest}`,
    `${t('app.deployment')}: ${deployment.name}, ${deployment.digest}`,
    ...(offlineFacts() === undefined ? [] : [t(isExample() ? 'example.origin' : 'offline.origin')]),
  ]
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `- ${line}`)]
}

/** The factor on the odds for a logistic model, else points. */
export function contributionText(words: Words, explanation: Explanation | null, points: number): string {
  return explanation?.intercept === undefined
    ? signed(words, points)
    : `× ${words.fixed(Math.exp(points), 2)}`
}

/** A value that was used, with its unit where the field has several. The model's unit may be another than the deployment's. */
export function usedText(
  words: Words,
  catalogue: FieldCatalogue,
  { field, value, unit }: { readonly field: string; readonly value: Value | null; readonly unit?: string },
): string {
  if (value === null) return words.t('effect.absent')
  return valueText(words, value) + unitText(words, catalogue, field, unit)
}

/** " g/dL" for a field that has several units, else nothing. */
function unitText(words: Words, { fields }: FieldCatalogue, name: string, chosen?: string): string {
  const field = fields.find((each) => each.name === name)
  if (field?.unit === undefined || field.otherUnits === undefined) return ''
  return ` ${words.serviceText(chosen ?? field.unit)}`
}

export function valueText(words: Words, value: Value): string {
  if (typeof value === 'number') return words.number(value)
  if (typeof value === 'boolean') return words.t(value ? 'result.yes' : 'result.no')
  return value
}

/** With its sign, and a true minus. */
export function signed(words: Words, points: number, decimals = 2): string {
  const text = words.number(Math.abs(points), decimals)
  if (points > 0) return `+${text}`
  return points < 0 ? `−${text}` : text
}
