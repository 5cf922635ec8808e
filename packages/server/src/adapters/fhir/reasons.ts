/** What an answer rests on, as sentences for people. The engine has found all of it. */
import type { Explanation, ExplainedValue, RiskRange, ScaleState } from 'patient-risk-engine/explain'
import { REASON_TEXTS } from '@patient-risk/catalog'
import { escapeText } from '@patient-risk/catalog/pages'
import { type Sentence, type Words, inEnglish, nameIn, phraseIn, sentenceIn } from 'patient-risk-engine/words'
import type { Json } from 'patient-risk-engine/read'

export interface Reasons {
  /** What the points are. */
  readonly head: string
  readonly rows: readonly { readonly label: string; readonly points: number; readonly from: string }[]
}

/** What each input adds, against the typical patient of the model's data; the terms of a model that states none. */
export function reasonsOf(
  { score, intercept, terms, reference, contributions }: Explanation,
  words?: Words,
): Reasons {
  if (reference === null || contributions === null) {
    const label = phraseIn(words, REASON_TEXTS.intercept)
    const start = intercept === undefined ? [] : [{ label, points: intercept, from: '' }]
    const rows = terms.map(({ label, points, values }) => ({
      label,
      points,
      from: valuesText(values, words),
    }))
    return {
      head: sentenceIn(words, { text: REASON_TEXTS.sum, parts: { score } }),
      rows: [...start, ...rows],
    }
  }
  const values = new Map(terms.flatMap((term) => term.values.map((value) => [value.field, value])))
  const rows = contributions.map(({ label, points, fields }) => {
    const used = fields.flatMap((field) => values.get(field) ?? [])
    return { label, points, from: valuesText(used, words) }
  })
  const parts = { score, risk: percent(reference.risk) }
  return { head: sentenceIn(words, { text: REASON_TEXTS.compared, parts }), rows }
}

/** Values with their origin where they were not given. */
function valuesText(values: readonly ExplainedValue[], words: Words | undefined): string {
  const texts = values.map(({ field, value, origin }) => {
    if (value === null)
      return sentenceIn(words, { text: REASON_TEXTS.absentValue, parts: { field: { field } } })
    const how = origin === 'given' ? '' : ` (${phraseIn(words, REASON_TEXTS[origin])})`
    return `${nameIn(words, field)} ${figureIn(words, value)}${how}`
  })
  return texts.join(', ')
}

/** A figure with the decimal sign of the language. */
export function figureIn(words: Words | undefined, value: number | string | boolean): string {
  const isFigure = typeof value === 'number' || /^-?\d+\.\d+$/.test(String(value))
  return isFigure && words !== undefined ? String(value).replace('.', words.decimal) : String(value)
}

export function rangeText({ inputs, possible, usual, decided }: RiskRange, words?: Words): string {
  const names = inputs.map((name): Sentence => ({ text: '{field}', parts: { field: { field: name } } }))
  const ends = ([low, high]: readonly [number, number]): Sentence =>
    low === high
      ? { text: REASON_TEXTS.at, parts: { risk: percent(low) } }
      : { text: REASON_TEXTS.between, parts: { low: percent(low), high: percent(high) } }
  const all = ends(possible)
  const inData = usual === null ? all : ends(usual)
  const hasTail = inEnglish(inData) !== inEnglish(all)
  const usualTail = { text: REASON_TEXTS.usualTail, parts: { ends: { sentence: inData } } }
  const answer = { phrase: decided === 'Yes' ? REASON_TEXTS.yes : REASON_TEXTS.no }
  const decidedTail = { text: REASON_TEXTS.decidedTail, parts: { answer } }
  return sentenceIn(words, {
    text: inputs.length === 1 ? REASON_TEXTS.rangeOne : REASON_TEXTS.rangeMany,
    parts: {
      ends: { sentence: all },
      fields: { sentence: joined(names) },
      usual: hasTail ? { sentence: usualTail } : '',
      decided: decided === null ? '' : { sentence: decidedTail },
    },
  })
}

/** "age, sex and stayDays". */
function joined(names: readonly Sentence[]): Sentence {
  const last = names.at(-1) ?? { text: '' }
  if (names.length < 2) return last
  const first = names.slice(0, -1)
  const parts = Object.fromEntries(first.map((sentence, at) => [`name${at}`, { sentence }]))
  const text = first.map((_, at) => `{name${at}}`).join(', ')
  return {
    text: REASON_TEXTS.and,
    parts: { first: { sentence: { text, parts } }, last: { sentence: last } },
  }
}

/** The band of a scale; empty where it falls in none. */
export function bandTexts(scales: readonly ScaleState[], words?: Words): readonly string[] {
  return scales.flatMap(({ scale, band, scheme, verified }) => {
    if (band === null) return []
    const parts = { scale: { field: scale }, band: { phrase: band }, scheme: { phrase: scheme ?? '' } }
    return [sentenceIn(words, { text: verified ? REASON_TEXTS.band : REASON_TEXTS.bandUnconfirmed, parts })]
  })
}

/** What stands beside every risk while an alarm of calibration is open. */
export function alarmTexts(month: string | undefined, words?: Words): readonly string[] {
  return month === undefined ? [] : [sentenceIn(words, { text: REASON_TEXTS.alarm, parts: { month } })]
}

/** A resource in words, as XHTML, for systems that show it as it is. */
export function narrative(...paragraphs: readonly string[]): Json {
  const content = paragraphs.map((text) => `<p>${escapeText(text)}</p>`).join('')
  return { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${content}</div>` }
}

/** As FHIR asks: a percentage, not a fraction. */
export function percent(risk: number): number {
  return Number((risk * 100).toFixed(2))
}
