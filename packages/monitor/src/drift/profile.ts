/**
 * Counts how inputs and risks fall into the bins of a model's development profile. Counts only:
 * no record can be read back from them. Counts of several counters may be added up.
 */
import type { ProfileDefinition } from 'patient-risk-engine/definition'
import type { RecordResult, FieldPlan, Plan, Slots } from 'patient-risk-engine'
import {
  ALARM_AT,
  Detector,
  evidenceOfCounts,
  meanOf,
  type ShareTest,
  testShare,
} from '@patient-risk/statistics'

const RECORDS = 0
const SCORED = 1
const FLAGGED = 2
const HEAD = 3
/**
 * Fewer records show neither an index, which chance alone moves by about the number of bins divided by theirs, nor an alarm: somebody may
 * only be trying the service with the same patient.
 */
export const FEWEST_RECORDS = 200

/** Where the bins of one distribution lie among the counts. */
interface Distribution {
  readonly name: string
  readonly first: number
  readonly expected: readonly number[]
  readonly expectedMissing: number
  readonly binOf: (value: number) => number
}

/** What the engine says of a record besides its slots. */
type Assessed = Pick<RecordResult, 'blocked' | 'risk'>

interface CountedInput extends Distribution {
  readonly slot: number
}

export class ProfileCounter {
  /** Records, scored, flagged; then for each input its bins and its missing; then the bins of the risk. */
  readonly counts: Float64Array
  readonly inputs: readonly CountedInput[]
  readonly risk: Distribution
  readonly profile: ProfileDefinition
  /** The tests of each distribution: of its bins, and last of its missing values. Undefined where no share is too high. */
  private readonly detectors = new Map<string, readonly (Detector | undefined)[]>()
  /** The inputs, and `risk`, that have moved away from the profile. Their tests stand still. */
  readonly moved = new Set<string>()

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
    this.names.forEach((name) => this.restart(name))
  }

  get names(): readonly string[] {
    return [...this.inputs.map(({ name }) => name), this.risk.name]
  }

  /** Begins the test of an input, or of the risk, again. */
  restart(name: string): void {
    const distribution = this.inputs.find((input) => input.name === name) ?? this.risk
    this.detectors.set(
      name,
      testsOf(distribution).map((test) => test && new Detector(test)),
    )
    this.moved.delete(name)
  }

  /** How many numbers `placeOf` gives for a record. */
  get width(): number {
    return this.inputs.length + 2
  }

  /**
   * Where a record lies that was just assessed: the bin of each input, the bin of its risk, and 1 where the risk is flagged. Without a risk
   * its bin is −1. A worker sends these in place of the record.
   */
  placeOf(slots: Slots, { blocked, risk }: Assessed, into: number[]): void {
    for (const { slot, expected, binOf } of this.inputs)
      into.push(slots.isUsable(slot) ? binOf(slots.valueOf(slot)) : expected.length)
    into.push(blocked ? -1 : this.risk.binOf(risk))
    into.push(!blocked && risk >= (this.profile.flagged?.threshold ?? Infinity) ? 1 : 0)
  }

  /** Counts records by their places, one after the other. */
  addPlaces(places: readonly number[]): void {
    for (let start = 0; start < places.length; start += this.width) this.addPlace(places, start)
  }

  /** Counts a record that was just assessed. */
  add(slots: Slots, result: Assessed): void {
    const place: number[] = []
    this.placeOf(slots, result, place)
    this.addPlace(place, 0)
  }

  private addPlace(places: readonly number[], start: number): void {
    this.count(RECORDS)
    const { inputs, risk } = this
    for (let at = 0; at < inputs.length; at++) {
      const { name, first, expected } = inputs[at] as CountedInput
      const bin = places[start + at] as number
      this.count(first + bin)
      this.watch(name, bin, expected.length)
    }
    const bin = places[start + inputs.length] as number
    if (bin < 0) return
    this.count(SCORED)
    this.count(risk.first + bin)
    this.watch(risk.name, bin, risk.expected.length)
    if (places[start + inputs.length + 1] === 1) this.count(FLAGGED)
  }

  /** A missing value says nothing about the shares of the others. */
  private watch(name: string, bin: number, missing: number): void {
    if (this.moved.has(name)) return
    const detectors = this.detectors.get(name) ?? []
    let sum = 0
    let tests = 0
    for (let at = 0; at < detectors.length; at++) {
      const detector = detectors[at]
      if (detector === undefined) continue
      if (bin !== missing || at === missing) detector.add(at === bin)
      sum += detector.mean
      tests++
    }
    if (sum >= ALARM_AT * tests && (this.counts[RECORDS] as number) >= FEWEST_RECORDS) this.moved.add(name)
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

/** In order is a share of at most 1.5 × that of the profile, and 5 in 100 more. A point null would be wrong in the end for every model. */
function testsOf({ expected, expectedMissing }: Distribution): readonly (ShareTest | undefined)[] {
  return [...expected, expectedMissing].map((share) => {
    const most = 1.5 * share + 0.05
    return most < 1 ? testShare(most) : undefined
  })
}

export interface Drift {
  readonly records: number
  readonly scored: number
  readonly inputs: readonly {
    readonly name: string
    /** NaN before a record carried the input. */
    readonly index: number
    /** By the test of the alarms, on the counts as a whole. */
    readonly moved: boolean
    readonly missing: number
    readonly expectedMissing: number
  }[]
  /** The index of the risk; NaN before a record was scored. */
  readonly risk: number
  readonly riskMoved: boolean
  /** The share of scored records at or above the threshold, now and in development. */
  readonly flagged: number
  readonly expectedFlagged: number
}

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
      moved: hasMoved(input, counts),
      missing: (counts[input.first + input.expected.length] as number) / records,
      expectedMissing: input.expectedMissing,
    })),
    risk: stabilityIndex(counter.risk, counts),
    riskMoved: hasMoved(counter.risk, counts),
    flagged: counter.profile.flagged === undefined ? Number.NaN : (counts[FLAGGED] as number) / scored,
    expectedFlagged: counter.profile.flagged?.share ?? Number.NaN,
  }
}

/** The risk has no missing values: what follows its bins is not read. */
function hasMoved(distribution: Distribution, counts: ArrayLike<number>): boolean {
  const { first, expected } = distribution
  const own = Array.from({ length: expected.length + 1 }, (_, at) => counts[first + at] ?? 0)
  const missing = own[expected.length] as number
  const given = own.reduce((sum, count) => sum + count, 0) - missing
  const evidence = testsOf(distribution).flatMap((test, at) => {
    const such = own[at] as number
    return test === undefined
      ? []
      : evidenceOfCounts(test, such, (at === expected.length ? given + missing : given) - such)
  })
  return meanOf(evidence) >= ALARM_AT
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
