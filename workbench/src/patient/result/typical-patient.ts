/** A typical patient of the data that a model comes from, and how common this patient's values are there. */
import type { PatientRecord } from '../../shapes/answers.ts'
import type { Field, Value } from '../../shapes/fields.ts'
import type { Model, NumberProfile } from '../../shapes/model.ts'

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
    else record[field.name] = medianOf(received(input, field), field.type === 'integer', field.minimum)
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

/** A value that few or none had in the data of the model. */
export type Uncommon = { readonly field: string } & (
  | { readonly kind: 'code'; readonly code: string; readonly share: number }
  | { readonly kind: 'outside'; readonly value: number; readonly end: number }
  | {
      /** One of the two open bins. How far beyond its cut the data go is unknown, unless their end is published. */
      readonly kind: 'end'
      readonly cut: number
      readonly isUpper: boolean
      readonly share: number
      readonly hasEnd: boolean
    }
)

/** Whether nobody in the data of the model had such a value. */
export function isOutside(each: Uncommon): boolean {
  return each.kind === 'outside' || (each.kind === 'code' && each.share === 0)
}

/** The values of a record that few or none had in the data of the model. */
export function uncommonValues({ profile, inputs }: Model, record: PatientRecord): readonly Uncommon[] {
  if (profile === undefined) return []
  return Object.entries(profile.inputs).flatMap(([field, input]): readonly Uncommon[] => {
    const value = record[field]
    if (value === undefined) return []
    if ('codes' in input) {
      const share = input.codes[String(value)] ?? 0
      return share > UNCOMMON ? [] : [{ field, kind: 'code', code: String(value), share }]
    }
    if (typeof value !== 'number') return []
    const { cuts, shares, from, to } = received(
      input,
      inputs.find(({ name }) => name === field),
    )
    if (from !== undefined && value < from) return [{ field, kind: 'outside', value, end: from }]
    if (to !== undefined && value > to) return [{ field, kind: 'outside', value, end: to }]
    const bin = cuts.filter((cut) => value >= cut).length
    // Only the ends of the distribution are uncommon; a narrow bin in its middle is not.
    const [isLower, isUpper] = [bin === 0, bin === cuts.length]
    const cut = isLower ? cuts[0] : cuts.at(-1)
    const share = shares[bin] ?? 0
    if ((!isLower && !isUpper) || cut === undefined || share > UNCOMMON) return []
    return [{ field, kind: 'end', cut, isUpper, share, hasEnd: (isUpper ? to : from) !== undefined }]
  })
}

/** A distribution in the unit in which the deployment receives the field; a profile is in the model's own. */
function received(input: NumberProfile, field: Field | undefined): NumberProfile {
  const factor = field?.modelUnit === undefined ? undefined : field.otherUnits?.[field.modelUnit]
  if (factor === undefined) return input
  const { from, to, cuts, ...rest } = input
  return {
    ...rest,
    cuts: cuts.map((cut) => cut / factor),
    ...(from === undefined ? {} : { from: from / factor }),
    ...(to === undefined ? {} : { to: to / factor }),
  }
}
