/** The development profile of a model: how its inputs and its risk were distributed in the data of the fit. */
import { type Domain, narrow } from '../../definition/domain.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import type { ProfileDefinition } from '../../definition/profile.ts'
import { roundRisk } from '../../engine/score/round.ts'
import type { DataSpecificationType } from '../specification.ts'
import { Sample } from '../data/sample.ts'
import type { InputSummary } from '../gather.ts'

type ProfiledInput = Pick<InputSummary, 'sample' | 'assumed'>
type InputProfile = ProfileDefinition['inputs'][string]

const DECILES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]

export function profileOf(
  data: string,
  model: Pick<ModelDefinition, 'inputs'>,
  domains: ReadonlyMap<string, Domain>,
  inputs: ReadonlyMap<string, ProfiledInput>,
  risks: Float64Array,
  threshold: number | undefined,
  ends: NonNullable<DataSpecificationType['ends']> = {},
): ProfileDefinition {
  const rows = risks.length
  const rounded = new Sample()
  let flagged = 0
  for (const risk of risks) {
    const answer = roundRisk(risk)
    rounded.add(answer)
    if (answer >= (threshold ?? Infinity)) flagged++
  }
  const profiles = [...inputs].map(([name, input]) => {
    // What the input may hold in the model: the field's domain, narrowed to its population.
    const domain = narrow(domains.get(name) as Domain, model.inputs[name] ?? {})
    return [name, { ...inputProfile(domain, input, rows), ...ends[name] }] as const
  })
  return {
    data,
    rows,
    inputs: Object.fromEntries(profiles),
    risk: binned(rounded),
    ...(threshold === undefined ? {} : { flagged: { threshold, share: share(flagged / rows) } }),
  }
}

function inputProfile(domain: Domain, { sample, assumed }: ProfiledInput, rows: number): InputProfile {
  const missing = share(assumed / rows)
  if (domain.kind !== 'code' && domain.kind !== 'yesNo') return { ...binned(sample), missing }
  const codes = domain.kind === 'code' ? [...domain.codes] : Object.entries({ false: 0, true: 1 })
  const shares = codes.map(([code, number]) => [code, share(sample.shareOf(number))] as const)
  return { codes: Object.fromEntries(shares), missing }
}

/** Bins of about a tenth each; values that occur often make fewer and larger ones. */
function binned(sample: Sample): { cuts: number[]; shares: number[] } {
  const lowest = sample.quantile(0)
  const cuts = [...new Set(DECILES.map((decile) => sample.quantile(decile)))].filter((cut) => cut > lowest)
  return { cuts, shares: sample.shares(cuts).map(share) }
}

/** Five decimals are enough to compare with, and too few to single out a patient. */
function share(value: number): number {
  return Math.round(value * 1e5) / 1e5
}
