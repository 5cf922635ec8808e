/** How far the counts have moved from a model's development profile: the population stability index and shares. */
import { type Distribution, FLAGGED, type ProfileCounter, RECORDS, SCORED } from './profile.ts'

export interface Drift {
  readonly records: number
  readonly scored: number
  readonly inputs: readonly InputDrift[]
  /** The index of the risk; NaN before a record was scored. */
  readonly risk: number
  /** The share of scored records at or above the threshold, now and in development. */
  readonly flagged: number
  readonly expectedFlagged: number
}

export interface InputDrift {
  readonly name: string
  /** NaN before a record carried the input. */
  readonly index: number
  readonly missing: number
  readonly expectedMissing: number
}

/** Conventional readings of the index: below the first little has changed, above the second much has. */
export const DRIFT_WATCH = 0.1
export const DRIFT_ALARM = 0.25

/** An empty bin counts as this share: the logarithm of 0 is not a number. */
const SMALLEST_SHARE = 0.0001

/** A counter, or the sum of several. */
type Counted = Pick<ProfileCounter, 'inputs' | 'risk' | 'profile'> & { readonly counts: ArrayLike<number> }

export function driftOf(counter: Counted): Drift {
  const { counts } = counter
  const records = counts[RECORDS] as number
  const scored = counts[SCORED] as number
  return {
    records,
    scored,
    inputs: counter.inputs.map((input) => ({
      name: input.name,
      index: stabilityIndex(input, counts),
      missing: (counts[input.first + input.bins] as number) / records,
      expectedMissing: input.expectedMissing,
    })),
    risk: stabilityIndex(counter.risk, counts),
    flagged: counter.profile.flagged === undefined ? Number.NaN : (counts[FLAGGED] as number) / scored,
    expectedFlagged: counter.profile.flagged?.share ?? Number.NaN,
  }
}

/** The sum over bins of (now − then) × ln(now ÷ then), of the records that have a value. */
function stabilityIndex({ first, bins, expected }: Distribution, counts: ArrayLike<number>): number {
  let total = 0
  for (let bin = 0; bin < bins; bin++) total += counts[first + bin] as number
  if (total === 0) return Number.NaN
  let index = 0
  for (let bin = 0; bin < bins; bin++) {
    const now = Math.max((counts[first + bin] as number) / total, SMALLEST_SHARE)
    const then = Math.max(expected[bin] as number, SMALLEST_SHARE)
    index += (now - then) * Math.log(now / then)
  }
  return index
}
