/** A result as plain text, to be put into a letter or a record. */
import type { Words } from '../i18n/words.ts'
import type { Explained } from '../shapes/answers.ts'
import type { Model } from '../shapes/model.ts'
import { groupTerms } from './group-terms.ts'

export function resultAsText(words: Words, model: Model, result: Explained, now: number): string {
  const { t } = words
  const { explanation } = result
  const lines = [
    words.own(model.title),
    words.own(model.card.outcome),
    '',
    `${t('result.risk')}: ${riskText(words, result)}`,
    ...(explanation === null ? [] : [`${t('result.score')}: ${words.number(explanation.score, 3)}`]),
    '',
    `${t('result.why')}:`,
    ...groupTerms(explanation?.terms ?? []).map(({ label, points, values }) => {
      const used = values.map(({ value }) => valueText(words, value)).join(', ')
      return `- ${words.own(label)} (${used}): ${signed(words, points)}`
    }),
    '',
    `${t('result.model')}: ${model.id}@${model.version}, ${model.digest}`,
    `${t('result.when')}: ${words.time(now)}`,
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

export function valueText(words: Words, value: number | string | boolean): string {
  if (typeof value === 'number') return words.number(value)
  if (typeof value === 'boolean') return words.t(value ? 'result.yes' : 'result.no')
  return value
}

/** With its sign, and a true minus. */
export function signed(words: Words, points: number): string {
  const text = words.number(Math.abs(points), 2)
  return points > 0 ? `+${text}` : points < 0 ? `−${text}` : text
}
