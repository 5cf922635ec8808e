/** A typical patient of the data that a model comes from, and how common this patient's values are there. */
import type { PatientRecord } from '../shapes/answers.ts'
import type { Value } from '../shapes/fields.ts'
import type { Model, NumberProfile, Profile } from '../shapes/model.ts'

/** At or below this share of the data a value is called uncommon. */
const UNCOMMON = 0.12

/** The median of each number and the most frequent code; undefined where the model has no profile of its data. */
export function typicalRecord({ profile, inputs }: Model): PatientRecord | undefined {
  if (profile === undefined) return undefined
  const record: Record<string, Value> = {}
  for (const field of inputs) {
    const input = profile.inputs[field.name]
    if (input === undefined || input.missing > 0.5) continue
    if ('codes' in input) record[field.name] = mostFrequent(input.codes, field.type === 'boolean')
    else record[field.name] = medianOf(input, field.type === 'integer', field.minimum)
  }
  return record
}

function mostFrequent(codes: Readonly<Record<string, number>>, isBoolean: boolean): Value {
  const [code = ''] = Object.entries(codes).toSorted(([, a], [, b]) => b - a)[0] ?? []
  return isBoolean ? code === 'true' : code
}

/** Bins hold shares only, so the median is interpolated within its bin. */
function medianOf({ cuts, shares }: NumberProfile, isInteger: boolean, minimum: number | undefined): number {
  let below = 0
  for (const [bin, share] of shares.entries()) {
    if (below + share < 0.5) {
      below += share
      continue
    }
    const first = cuts[0] ?? 0
    const from = cuts[bin - 1] ?? Math.max(minimum ?? first - 1, first - 1)
    const to = cuts[bin] ?? from
    const value = from + ((0.5 - below) / share) * (to - from)
    return isInteger ? Math.floor(value) : Math.round(value * 10) / 10
  }
  return cuts.at(-1) ?? 0
}

export interface Uncommon {
  readonly field: string
  /** The share of the data with a value in the same range. */
  readonly share: number
  readonly from: number | undefined
  readonly below: number | undefined
  readonly code: string | undefined
}

/** The values of a record that few or none had in the data of the model. */
export function uncommonValues(profile: Profile | undefined, record: PatientRecord): readonly Uncommon[] {
  if (profile === undefined) return []
  return Object.entries(profile.inputs).flatMap(([field, input]): readonly Uncommon[] => {
    const value = record[field]
    if (value === undefined) return []
    if ('codes' in input) {
      const share = input.codes[String(value)] ?? 0
      return share > UNCOMMON
        ? []
        : [{ field, share, from: undefined, below: undefined, code: String(value) }]
    }
    if (typeof value !== 'number') return []
    const bin = input.cuts.filter((cut) => value >= cut).length
    // Only the ends of the distribution are uncommon; a narrow bin in its middle is not.
    if (bin > 0 && bin < input.cuts.length) return []
    const share = input.shares[bin] ?? 0
    return share > UNCOMMON
      ? []
      : [{ field, share, from: input.cuts[bin - 1], below: input.cuts[bin], code: undefined }]
  })
}
