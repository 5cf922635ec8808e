/**
 * Counts how inputs and risks fall into the bins of a model's development profile. Counts only:
 * no record can be read back from them. Counts of several counters may be added up.
 */
import type { ProfileDefinition } from '../../definition/profile.ts'
import type { Outcome } from '../assess.ts'
import type { FieldPlan, Plan } from '../plan.ts'
import { type Slots, STATE } from '../read/slots.ts'

/** Where the bins of one distribution lie among the counts. */
export interface Distribution {
  readonly name: string
  readonly first: number
  readonly bins: number
  readonly expected: readonly number[]
  readonly expectedMissing: number
}

interface CountedInput extends Distribution {
  readonly slot: number
  readonly binOf: (value: number) => number
}

export class ProfileCounter {
  /** Records, scored, flagged; then for each input its bins and its missing; then the bins of the risk. */
  readonly counts: Float64Array
  readonly inputs: readonly Distribution[]
  readonly risk: Distribution
  readonly profile: ProfileDefinition
  private readonly counted: readonly CountedInput[]
  private readonly riskBin: (risk: number) => number

  constructor(profile: ProfileDefinition, plan: Plan) {
    this.profile = profile
    let next = HEAD
    this.counted = Object.entries(profile.inputs).map(([name, input]): CountedInput => {
      const slot = plan.slotByName.get(name) ?? -1
      const { binOf, expected } =
        'codes' in input
          ? codeBins(input.codes, plan.fields[slot])
          : { binOf: binner(input.cuts), expected: input.shares }
      const first = next
      next += expected.length + 1
      return { name, slot, first, bins: expected.length, expected, expectedMissing: input.missing, binOf }
    })
    this.inputs = this.counted
    const expected = profile.risk.shares
    this.risk = { name: 'risk', first: next, bins: expected.length, expected, expectedMissing: 0 }
    this.counts = new Float64Array(next + expected.length)
    this.riskBin = binner(profile.risk.cuts)
  }

  /** Counts a record that was just assessed. */
  add(slots: Slots, outcome: Outcome): void {
    this.count(RECORDS)
    for (const { slot, first, bins, binOf } of this.counted) {
      const state = slots.stateOf(slot)
      const isUsable = state === STATE.valid || state === STATE.computed
      this.count(first + (isUsable ? binOf(slots.valueOf(slot)) : bins))
    }
    if (outcome.blocked) return
    this.count(SCORED)
    this.count(this.risk.first + this.riskBin(outcome.risk))
    if (outcome.risk >= (this.profile.flagged?.threshold ?? Infinity)) this.count(FLAGGED)
  }

  /** Adds what another counter of the same profile has counted. */
  merge(counts: ArrayLike<number>): void {
    for (let index = 0; index < this.counts.length; index++) this.count(index, counts[index])
  }

  private count(index: number, by = 1): void {
    this.counts[index] = (this.counts[index] as number) + by
  }
}

export const RECORDS = 0
export const SCORED = 1
export const FLAGGED = 2
const HEAD = 3

function binner(cuts: readonly number[]): (value: number) => number {
  return (value) => {
    let bin = 0
    while (bin < cuts.length && value >= (cuts[bin] as number)) bin++
    return bin
  }
}

/** Codes that the development data did not have share one last bin, of which nothing was expected. */
function codeBins(
  codes: Readonly<Record<string, number>>,
  field: FieldPlan | undefined,
): { binOf: (value: number) => number; expected: readonly number[] } {
  const names = Object.keys(codes)
  const binByNumber: number[] = []
  if (field?.domain.kind === 'code') {
    for (const [code, number] of field.domain.codes) binByNumber[number] = names.indexOf(code)
  } else names.forEach((name, bin) => (binByNumber[name === 'true' ? 1 : 0] = bin))
  const other = names.length
  return {
    binOf: (value) => {
      const bin = binByNumber[value] ?? -1
      return bin < 0 ? other : bin
    },
    expected: [...names.map((name) => codes[name] as number), 0],
  }
}
