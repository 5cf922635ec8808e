/** What an answer rests on, as sentences for people. The engine has found all of it. */
import type { Explanation, ExplainedValue, RiskRange, ScaleState } from 'patient-risk-engine/explain'
import { escapeText } from '@patient-risk/catalog/pages'
import type { Json } from 'patient-risk-engine/read'

export interface Reasons {
  /** What the points are. */
  readonly head: string
  readonly rows: readonly { readonly label: string; readonly points: number; readonly from: string }[]
}

/** What each input adds, against the typical patient of the model's data; the terms of a model that states none. */
export function reasonsOf({ score, intercept, terms, reference, contributions }: Explanation): Reasons {
  const head = `Sum of points ${score}`
  if (reference === null || contributions === null) {
    const start = intercept === undefined ? [] : [{ label: 'intercept', points: intercept, from: '' }]
    const rows = terms.map(({ label, points, values }) => ({ label, points, from: valuesText(values) }))
    return { head, rows: [...start, ...rows] }
  }
  const values = new Map(terms.flatMap((term) => term.values.map((value) => [value.field, value])))
  const rows = contributions.map(({ label, points, fields }) => {
    return { label, points, from: valuesText(fields.flatMap((field) => values.get(field) ?? [])) }
  })
  const typical = `the typical patient of the model's data (${percent(reference.risk)} %)`
  return { head: `${head}. Compared with ${typical}`, rows }
}

/** Values with their origin where they were not given. */
function valuesText(values: readonly ExplainedValue[]): string {
  const texts = values.map(({ field, value, origin }) =>
    value === null ? `${field} absent` : `${field} ${value}${origin === 'given' ? '' : ` (${origin})`}`,
  )
  return texts.join(', ')
}

export function rangeText({ inputs, possible, usual, decided }: RiskRange): string {
  const names =
    inputs.length === 1 ? `${inputs[0]} is` : `${inputs.slice(0, -1).join(', ')} and ${inputs.at(-1)} are`
  const ends = ([low, high]: readonly [number, number]): string =>
    low === high ? `at ${percent(low)} %` : `between ${percent(low)} % and ${percent(high)} %`
  const all = ends(possible)
  const inData = usual === null || ends(usual) === all ? '' : `, and ${ends(usual)} for usual values`
  const answer = decided === null ? '' : `; the answer ${decided} does not change`
  return `The risk lies ${all}, whatever ${names}${inData}${answer}.`
}

/** The band of a scale; empty where it falls in none. */
export function bandTexts(scales: readonly ScaleState[]): readonly string[] {
  return scales.flatMap(({ scale, band, scheme, verified }) =>
    band === null ? [] : [`${scale}: ${band} (${scheme}${verified ? '' : ', not confirmed'}).`],
  )
}

/** What stands beside every risk while an alarm of calibration is open. */
export function alarmTexts(month: string | undefined): readonly string[] {
  if (month === undefined) return []
  return [
    `Calibration alarm of ${month}: the outcomes of this hospital do not fit the risks of this model. This risk may be too high or too low here.`,
  ]
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
