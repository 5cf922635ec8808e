/**
 * Worked cases of a fitted model. Their records are invented from the model's ranges and the typical values
 * of the data, never copied from a patient; their risks are worked out by the fit itself, not by the engine.
 */
import type { ModelCaseDefinition } from '../../definition/cases.ts'
import { type Domain, narrow } from '../../definition/domain.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import { roundRisk } from '../../engine/score/round.ts'
import type { Sample } from '../data/sample.ts'

type Value = number | string | boolean
export type CaseRecord = Readonly<Record<string, Value>>

interface CaseInput {
  readonly name: string
  readonly domain: Domain
  readonly isRequired: boolean
  readonly sample: Sample
}

export function casesOf(
  model: Pick<ModelDefinition, 'inputs'>,
  domains: ReadonlyMap<string, Domain>,
  samples: ReadonlyMap<string, { readonly sample: Sample }>,
  riskOf: (record: CaseRecord) => number,
): readonly ModelCaseDefinition[] {
  const inputs = Object.entries(model.inputs).flatMap(([name, input]): readonly CaseInput[] => {
    const domain = domains.get(name)
    const sample = samples.get(name)?.sample
    if (domain === undefined || sample === undefined) return []
    return [{ name, domain: narrow(domain, input), isRequired: input.whenAbsent === undefined, sample }]
  })
  const typical = Object.fromEntries(inputs.map((input) => [input.name, typicalValue(input)]))
  const scored = (name: string, record: CaseRecord): ModelCaseDefinition => {
    const unrounded = riskOf(record)
    const source = 'worked out by the fit'
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

function typicalValue({ domain, sample }: CaseInput): Value {
  if (domain.kind === 'code') {
    const shares = [...domain.codes].map(([code, number]) => ({ code, share: sample.shareOf(number) }))
    return shares.reduce((best, each) => (each.share > best.share ? each : best)).code
  }
  if (domain.kind === 'yesNo') return sample.shareOf(1) > 0.5
  return sample.quantile(0.5)
}

/** Values of every kind that an input may have: each code, or low, high, and the ends of the range. */
function otherValues({ domain, sample }: CaseInput): readonly Value[] {
  if (domain.kind === 'code') return [...domain.codes.keys()]
  if (domain.kind === 'yesNo') return [true, false]
  if (domain.kind === 'date') return []
  const [from = 0, to = 0] =
    domain.kind === 'list' ? [domain.values[0], domain.values.at(-1)] : [domain.from, domain.to]
  return [...new Set([from, sample.quantile(0.1), sample.quantile(0.9), to])]
}
