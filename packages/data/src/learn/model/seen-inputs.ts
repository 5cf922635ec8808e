/** The inputs of a model as its data have them: they give its development profile and its worked cases. */
import { permits, type ProfileDefinition } from 'patient-risk-engine/definition'
import type { ModelCaseDefinition } from '@patient-risk/catalog'
import { roundRisk } from 'patient-risk-engine'
import { Sample } from '../data/sample.ts'
import type { SeenInput } from '../data/gather.ts'
import type { DataSpecificationType } from '../data/specification.ts'

const ROWS_FOR_OUTER = 1_000
const DECILES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]

/** How the inputs and the risk were distributed; `data` names the data. */
export function profileOf(
  data: string,
  inputs: readonly SeenInput[],
  risks: Float64Array,
  threshold: number | undefined,
  ends: NonNullable<DataSpecificationType['ends']> = {},
): ProfileDefinition {
  const rows = risks.length
  const answers = risks.map(roundRisk)
  const rounded = new Sample()
  for (const answer of answers) rounded.add(answer)
  const flagged = answers.filter((answer) => answer >= (threshold ?? Infinity)).length
  const profiles = inputs.map((input) => [input.name, { ...inputProfile(input, rows), ...ends[input.name] }])
  return {
    data,
    rows,
    inputs: Object.fromEntries(profiles) as ProfileDefinition['inputs'],
    risk: binned(rounded, (decile) => rounded.quantile(decile)),
    ...(threshold === undefined ? {} : { flagged: { threshold, share: share(flagged / rows) } }),
  }
}

function inputProfile(input: SeenInput, rows: number): object {
  const { domain, sample, assumed } = input
  const quantile = (share: number): number => plainQuantile(input, share)
  const missing = share(assumed / rows)
  if (domain.kind !== 'code' && domain.kind !== 'yesNo')
    return { ...binned(sample, quantile), missing, ...percentiles(quantile, rows) }
  const codes = domain.kind === 'code' ? [...domain.codes] : Object.entries({ false: 0, true: 1 })
  const shares = codes.map(([code, number]) => [code, share(sample.shareOf(number))] as const)
  return { codes: Object.fromEntries(shares), missing }
}

/** The median, and the outer percentiles where at least ten rows lie beyond each of them: an outlier can single out a patient. */
function percentiles(quantile: Quantile, rows: number): object {
  const median = { p50: quantile(0.5) }
  if (rows < ROWS_FOR_OUTER) return median
  return { p01: quantile(0.01), ...median, p99: quantile(0.99) }
}

type Quantile = (share: number) => number

/** With four digits: all digits of a measured value could single out a patient. */
function plainQuantile({ domain, sample }: SeenInput, share: number): number {
  const value = sample.quantile(share)
  const plain = Number(value.toPrecision(4))
  return domain.kind === 'decimal' && permits(domain, plain) ? plain : value
}

/** Bins of about a tenth each; values that occur often make fewer and larger ones. */
function binned(sample: Sample, quantile: Quantile): { cuts: number[]; shares: number[] } {
  const lowest = sample.quantile(0)
  const cuts = [...new Set(DECILES.map(quantile))].filter((cut) => cut > lowest)
  return { cuts, shares: sample.shares(cuts).map(share) }
}

/** Five decimals are enough to compare with, and too few to single out a patient. */
function share(value: number): number {
  return Math.round(value * 1e5) / 1e5
}

type Value = number | string | boolean
export type CaseRecord = Readonly<Record<string, Value>>

/**
 * Worked cases. Their records are invented from the model's ranges and the typical values of the data, never copied from a
 * patient; after a fit their risks are computed by the fit itself, not by the engine.
 */
export function casesOf(
  inputs: readonly SeenInput[],
  riskOf: (record: CaseRecord) => number,
  source = 'worked out by the fit',
): readonly ModelCaseDefinition[] {
  const typical = Object.fromEntries(inputs.map((input) => [input.name, typicalValue(input)]))
  const scored = (name: string, record: CaseRecord): ModelCaseDefinition => {
    const unrounded = riskOf(record)
    return { name, record: { ...record }, risk: roundRisk(unrounded), unrounded, source }
  }
  const cases = [scored('typical values', typical)]
  for (const input of inputs) {
    for (const value of otherValues(input)) {
      if (value === typical[input.name]) continue
      const name = `typical values, but ${input.name} ${String(value)}`
      cases.push(scored(name, { ...typical, [input.name]: value }))
    }
    const name = `without ${input.name}`
    const record = Object.fromEntries(Object.entries(typical).filter(([other]) => other !== input.name))
    const problems = [{ field: input.name, kind: 'ValueMissing' as const }]
    const refused = { name, record, risk: null, problems, source: 'the input is required' }
    cases.push(input.isRequired ? refused : scored(name, record))
  }
  return cases
}

function typicalValue(input: SeenInput): Value {
  const { domain, sample } = input
  if (domain.kind === 'code') {
    const shares = [...domain.codes].map(([code, number]) => ({ code, share: sample.shareOf(number) }))
    return shares.reduce((best, each) => (each.share > best.share ? each : best)).code
  }
  if (domain.kind === 'yesNo') return sample.shareOf(1) > 0.5
  return plainQuantile(input, 0.5)
}

/** Values of every kind that an input may have: each code, or low, high, and the ends of the range. */
function otherValues(input: SeenInput): readonly Value[] {
  const { domain } = input
  if (domain.kind === 'code') return [...domain.codes.keys()]
  if (domain.kind === 'yesNo') return [true, false]
  if (domain.kind === 'date') return []
  const from = domain.kind === 'list' ? (domain.values[0] ?? 0) : domain.from
  const to = domain.kind === 'list' ? (domain.values.at(-1) ?? 0) : domain.to
  return [...new Set([from, plainQuantile(input, 0.1), plainQuantile(input, 0.9), to])]
}
