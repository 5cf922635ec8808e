/**
 * Counts how inputs and risks fall into the bins of a model's development profile. Counts only:
 * no record can be read back from them. Counts of several counters may be added up.
 */
import type { ProfileDefinition } from '../../definition/model.ts'
import type { Outcome } from '../assess.ts'
import type { FieldPlan, Plan } from '../plan.ts'
import type { Slots } from '../read/slots.ts'

const RECORDS = 0
const SCORED = 1
const FLAGGED = 2
const HEAD = 3

/** Where the bins of one distribution lie among the counts. */
interface Distribution {
  readonly name: string
  readonly first: number
  readonly expected: readonly number[]
  readonly expectedMissing: number
  readonly binOf: (value: number) => number
}

interface CountedInput extends Distribution {
  readonly slot: number
}

export class ProfileCounter {
  /** Records, scored, flagged; then for each input its bins and its missing; then the bins of the risk. */
  readonly counts: Float64Array
  readonly inputs: readonly CountedInput[]
  readonly risk: Distribution
  readonly profile: ProfileDefinition

  constructor(profile: ProfileDefinition, plan: Plan) {
    this.profile = profile
    let next = HEAD
    this.inputs = Object.entries(profile.inputs).map(([name, input]): CountedInput => {
      const slot = plan.slotByName.get(name) ?? -1
      const { binOf, expected } =
        'codes' in input
          ? codeBins(input.codes, plan.fields[slot])
          : { binOf: binner(input.cuts), expected: input.shares }
      const first = next
      next += expected.length + 1
      return { name, slot, first, expected, expectedMissing: input.missing, binOf }
    })
    const { shares: expected, cuts } = profile.risk
    this.risk = { name: 'risk', first: next, expected, expectedMissing: 0, binOf: binner(cuts) }
    this.counts = new Float64Array(next + expected.length)
  }

  /** Counts a record that was just assessed. */
  add(slots: Slots, outcome: Outcome): void {
    this.count(RECORDS)
    for (const { slot, first, expected, binOf } of this.inputs)
      this.count(first + (slots.isUsable(slot) ? binOf(slots.valueOf(slot)) : expected.length))
    if (outcome.blocked) return
    this.count(SCORED)
    this.count(this.risk.first + this.risk.binOf(outcome.risk))
    if (outcome.risk >= (this.profile.flagged?.threshold ?? Infinity)) this.count(FLAGGED)
  }

  private count(index: number): void {
    this.counts[index] = (this.counts[index] as number) + 1
  }
}

function binner(cuts: readonly number[]): (value: number) => number {
  return (value) => {
    let bin = 0
    while (bin < cuts.length && value >= (cuts[bin] as number)) bin++
    return bin
  }
}

/** Codes that the development data did not have share one last bin, whose expected share is 0. */
function codeBins(
  codes: Readonly<Record<string, number>>,
  field: FieldPlan | undefined,
): { binOf: (value: number) => number; expected: readonly number[] } {
  const names = Object.keys(codes)
  const numbers = field?.domain.kind === 'code' ? field.domain.codes : Object.entries({ false: 0, true: 1 })
  const binByNumber: number[] = []
  for (const [code, number] of numbers)
    binByNumber[number] = names.includes(code) ? names.indexOf(code) : names.length
  return {
    binOf: (value) => binByNumber[value] ?? names.length,
    expected: [...names.map((name) => codes[name] as number), 0],
  }
}

export interface Drift {
  readonly records: number
  readonly scored: number
  readonly inputs: readonly {
    readonly name: string
    /** NaN before a record carried the input. */
    readonly index: number
    readonly missing: number
    readonly expectedMissing: number
  }[]
  /** The index of the risk; NaN before a record was scored. */
  readonly risk: number
  /** The share of scored records at or above the threshold, now and in development. */
  readonly flagged: number
  readonly expectedFlagged: number
}

/** Conventional limits of the index: below the first little has changed, above the second much has. */
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
      missing: (counts[input.first + input.expected.length] as number) / records,
      expectedMissing: input.expectedMissing,
    })),
    risk: stabilityIndex(counter.risk, counts),
    flagged: counter.profile.flagged === undefined ? Number.NaN : (counts[FLAGGED] as number) / scored,
    expectedFlagged: counter.profile.flagged?.share ?? Number.NaN,
  }
}

/** The sum over bins of (now − then) × ln(now ÷ then), of the records that have a value. */
function stabilityIndex({ first, expected }: Distribution, counts: ArrayLike<number>): number {
  const bins = expected.length
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
