/**
 * Counts of the records of one feed, taken from the slots of records that were read anyway. Counts only: no record can be read back from
 * them. They can be kept as plain data, and added up.
 */
import { STATE } from 'patient-risk-engine'
import type { FeedFieldPlan, FeedPlan, SlotStatement } from './feed-plan.ts'
import { MISSING_CODES, EARLIEST_USUAL_DATE } from './knowledge/missing-codes.ts'
import { MISSING_TEXT, type ObservedSlots, type SeenRecords, SeenRecordsBuffer } from './seen-records.ts'

/** Numbers are counted by their value in so many bins, to see one that is far commoner than any other. */
export const VALUE_BINS = 128
const VALUE_MASK = VALUE_BINS - 1
/** Codes and yes/no by their number. */
export const CODE_BINS = 8

/** Where each count of a field lies. */
export const CELL = {
  /** Records that carry the field. */
  given: 0,
  /** Records in which it may be used, or lies out of range. */
  read: 1,
  /** Written in a form that it does not have. */
  wrongForm: 2,
  /** A code that is not permitted. */
  wrongCode: 3,
  outOfRange: 4,
  /** A total that its items do not give. */
  wrongSum: 5,
  /** Out of range, and a number that stands for a missing value in many systems. */
  missingOutside: 6,
  /** Of neighbours in one body that are of different patients: the same value, a higher one, a lower one. */
  same: 7,
  higher: 8,
  lower: 9,
  /** Whole numbers, multiples of five and of ten. */
  whole: 10,
  fives: 11,
  tens: 12,
  /** Dates that systems write where there is none. */
  oldDate: 13,
  /** The highest value so far is not a count; how often it came is. */
  atHighest: 14,
  /** Refused, and a text that stands for a missing value in many systems. */
  missingText: 15,
  /** Each number that stands for a missing value. */
  missing: 16,
  codes: 16 + MISSING_CODES.length,
  values: 16 + MISSING_CODES.length + CODE_BINS,
  /** Values between the edges of the plan; only fields of numbers have these and the ones before. */
  bins: 16 + MISSING_CODES.length + CODE_BINS + VALUE_BINS,
} as const

/** Cells of a pair: neither statement is true, only the other, only the one, both. */
export const PAIR_CELLS = 4
/** Cells of a comparison: records in which the second is above 0, both are equal, the first is higher. */
export const COMPARISON_CELLS = 3

/** What a run that is interrupted keeps. */
export interface FeedCountsData {
  readonly received: number
  readonly records: number
  /** Records whose idx is refused. */
  readonly wrongIdx: number
  /** Records that are full enough to be recognised, and those that equal an earlier one of the same body in everything but the idx. */
  readonly comparable: number
  readonly duplicates: number
  /** The counts of the fields that came, by their place in the plan. */
  readonly fields: readonly (readonly [place: number, counts: Uint32Array, highest: number])[]
  readonly pairs: Uint32Array
  readonly comparisons: Uint32Array
}

/** A record with fewer decimals, or fewer fields, may equal one of another patient by chance. */
const FEWEST_DECIMALS = 3
const FEWEST_FIELDS = 10
/** So many records of one body are compared with each other. */
const MOST_COMPARED = 20_000
/** Of a patient who comes again and again, one of so many records counts: a column of one age and one sex is not one patient. */
const SAME_EVERY = 5

/** Two records by the places of their fields; NaN where there is nothing that may be used. Empty between two calls, so all share them. */
let presentRecord = new Float64Array(0)
let recordBefore = new Float64Array(0)

export class FeedCounts {
  readonly plan: FeedPlan
  /** All records, and those of them that count: a patient who comes again at once counts once. */
  received = 0
  records = 0
  wrongIdx = 0
  comparable = 0
  duplicates = 0
  readonly fields: (Uint32Array | undefined)[]
  readonly highest: Float64Array
  readonly pairs: Uint32Array
  readonly comparisons: Uint32Array
  /** The places of fields that have come. */
  private readonly sent: number[] = []
  /** The records of the present body, as numbers that they are mixed to. */
  private readonly seen = new Set<number>()
  private readonly agePlace: number
  private readonly sexPlace: number

  constructor(plan: FeedPlan, data?: FeedCountsData) {
    this.plan = plan
    this.fields = new Array<Uint32Array | undefined>(plan.fields.length).fill(undefined)
    this.highest = new Float64Array(plan.fields.length).fill(-Infinity)
    this.pairs = new Uint32Array(PAIR_CELLS * plan.pairs.length)
    this.comparisons = new Uint32Array(COMPARISON_CELLS * plan.comparisons.length)
    this.agePlace = plan.placeOfName.get('age') ?? -1
    this.sexPlace = plan.placeOfName.get('sex') ?? -1
    if (data !== undefined) this.merge(data)
  }

  /** Counts one record. */
  observe(slots: ObservedSlots): void {
    const seen = new SeenRecordsBuffer()
    seen.add(slots)
    this.observeBody(seen)
  }

  /** Counts the records of one body, or of some lines. They are neighbours. */
  observeBody(seen: SeenRecords): void {
    this.wrongIdx += seen.wrongIdx
    const { length } = this.plan.fields
    if (presentRecord.length < length) {
      presentRecord = new Float64Array(length).fill(Number.NaN)
      recordBefore = new Float64Array(length).fill(Number.NaN)
    }
    let present = presentRecord
    let before = recordBefore
    let again = 0
    let startBefore = 0
    let start = 0
    for (let record = 0; record < seen.records; record++) {
      const end = seen.ends[record] as number
      this.received++
      this.readRecord(seen, start, end, present)
      const isSame = record > 0 && this.isSamePatient(present, before)
      again = isSame ? again + 1 : 0
      // A patient who comes again counts once, and once more in five.
      if (again % SAME_EVERY === 0)
        this.countRecord(seen, start, end, present, record > 0 && !isSame ? before : undefined)
      for (let at = startBefore; at < start; at++) before[seen.places[at] as number] = Number.NaN
      const free = before
      before = present
      present = free
      startBefore = start
      start = end
    }
    for (let at = startBefore; at < start; at++) before[seen.places[at] as number] = Number.NaN
    this.seen.clear()
  }

  /** Puts a record where its fields are found by place, and notes one that is full enough to be recognised. */
  private readRecord(
    { places, states, values }: SeenRecords,
    start: number,
    end: number,
    present: Float64Array,
  ): void {
    const { plan } = this
    let mixed = 0
    let decimals = 0
    for (let at = start; at < end; at++) {
      const place = places[at] as number
      const value = values[at] as number
      const state = states[at] as number
      if (state === STATE.valid || state === STATE.outOfRange) present[place] = value
      mixed = mix(mixed, place, value)
      if (plan.fields[place]?.kind === 'decimal') decimals++
    }
    if (end - start < FEWEST_FIELDS || decimals < FEWEST_DECIMALS || this.seen.size >= MOST_COMPARED) return
    this.comparable++
    if (this.seen.has(mixed)) this.duplicates++
    this.seen.add(mixed)
  }

  private countRecord(
    { places, states, values }: SeenRecords,
    start: number,
    end: number,
    present: Float64Array,
    neighbour: Float64Array | undefined,
  ): void {
    this.records++
    const before = this.agePlace < 0 ? undefined : neighbour
    for (let at = start; at < end; at++) {
      const place = places[at] as number
      const valueBefore = before === undefined ? Number.NaN : (before[place] as number)
      this.count(place, states[at] as number, values[at] as number, valueBefore)
    }
    this.comparePairs(present)
  }

  merge(other: FeedCountsData): void {
    this.received += other.received
    this.records += other.records
    this.wrongIdx += other.wrongIdx
    this.comparable += other.comparable
    this.duplicates += other.duplicates
    for (const [place, counts, highest] of other.fields) {
      const own = this.countsOf(place)
      const atHighest = (own[CELL.atHighest] as number) * Number((this.highest[place] as number) >= highest)
      const added = (counts[CELL.atHighest] as number) * Number(highest >= (this.highest[place] as number))
      addAll(own, counts)
      own[CELL.atHighest] = atHighest + added
      this.highest[place] = Math.max(this.highest[place] as number, highest)
    }
    addAll(this.pairs, other.pairs)
    addAll(this.comparisons, other.comparisons)
  }

  /** Plain data of these counts. It shares their memory. */
  data(): FeedCountsData {
    const { received, records, wrongIdx, comparable, duplicates, pairs, comparisons } = this
    const fields = this.sent.map(
      (place) => [place, this.fields[place] as Uint32Array, this.highest[place] as number] as const,
    )
    return {
      received,
      records,
      wrongIdx,
      comparable,
      duplicates,
      fields,
      pairs,
      comparisons,
    }
  }

  /** Everything begins at zero again. */
  clear(): void {
    for (const place of this.sent) {
      this.fields[place] = undefined
      this.highest[place] = -Infinity
    }
    this.received = 0
    this.records = 0
    this.wrongIdx = 0
    this.comparable = 0
    this.duplicates = 0
    this.pairs.fill(0)
    this.comparisons.fill(0)
    this.sent.length = 0
  }

  private countsOf(place: number): Uint32Array {
    const known = this.fields[place]
    if (known !== undefined) return known
    const { usual, cuts } = this.plan.fields[place] as FeedFieldPlan
    const size = usual === undefined ? CELL.values : CELL.bins + cuts.length + 1
    const counts = new Uint32Array(size)
    this.fields[place] = counts
    this.sent.push(place)
    return counts
  }

  private count(place: number, state: number, value: number, before: number): void {
    const counts = this.countsOf(place)
    const field = this.plan.fields[place] as FeedFieldPlan
    add(counts, CELL.given)
    if (state === MISSING_TEXT) {
      add(counts, CELL.missingText)
      return
    }
    if (state !== STATE.valid) {
      const cell = cellOf(state)
      // Outside of the model's population is not outside of what the field may hold.
      const isHeld = state === STATE.outOfRange && value >= field.ownFrom && value <= field.ownTo
      if (cell !== undefined && !isHeld) add(counts, cell)
      if (state !== STATE.outOfRange) return
      if (MISSING_CODES.some((code) => code === value)) add(counts, CELL.missingOutside)
    }
    add(counts, CELL.read)
    if (before === value) add(counts, CELL.same)
    else if (value > before) add(counts, CELL.higher)
    else if (value < before) add(counts, CELL.lower)
    if (field.kind === 'code' || field.kind === 'yesNo') {
      add(counts, CELL.codes + Math.min(value, CODE_BINS - 1))
      return
    }
    if (field.kind === 'date') {
      if (value < EARLIEST_USUAL_DATE) add(counts, CELL.oldDate)
      return
    }
    if (field.usual !== undefined) this.countNumber(counts, field.cuts, place, value)
  }

  private countNumber(counts: Uint32Array, cuts: readonly number[], place: number, value: number): void {
    // Numbers of records are small. A remainder of two 32-bit numbers costs much less than one of two others.
    const whole = value | 0
    if (whole === value) {
      add(counts, CELL.whole)
      if (whole % 5 === 0) add(counts, whole % 10 === 0 ? CELL.tens : CELL.fives)
    }
    // Most numbers are none of the codes: the lowest are 0 and below, the others 9 and above.
    const code = value <= 0 || value >= 9 ? MISSING_CODES.indexOf(value as 0) : -1
    if (code >= 0) add(counts, CELL.missing + code)
    add(counts, CELL.values + binOf(value))
    let bin = 0
    while (bin < cuts.length && value >= (cuts[bin] as number)) bin++
    add(counts, CELL.bins + bin)
    const highest = this.highest[place] as number
    if (value > highest) {
      this.highest[place] = value
      counts[CELL.atHighest] = 1
    } else if (value === highest) add(counts, CELL.atHighest)
  }

  private comparePairs(present: Float64Array): void {
    const { pairs, comparisons } = this.plan
    for (let at = 0; at < pairs.length; at++) {
      const { one, other } = pairs[at] as FeedPlan['pairs'][number]
      const first = present[one.place] as number
      const second = present[other.place] as number
      if (Number.isNaN(first) || Number.isNaN(second)) continue
      add(this.pairs, PAIR_CELLS * at + 2 * Number(isTrue(first, one)) + Number(isTrue(second, other)))
    }
    for (let at = 0; at < comparisons.length; at++) {
      const { one, other } = comparisons[at] as FeedPlan['comparisons'][number]
      const first = present[one] as number
      const second = present[other] as number
      if (Number.isNaN(first) || Number.isNaN(second)) continue
      const cells = COMPARISON_CELLS * at
      if (second > 0) {
        add(this.comparisons, cells)
        if (first === second) add(this.comparisons, cells + 1)
      }
      if (first > second) add(this.comparisons, cells + 2)
    }
  }

  /** Neighbours of one age and sex are probably one patient. */
  private isSamePatient(present: Float64Array, before: Float64Array): boolean {
    const { agePlace, sexPlace } = this
    if (agePlace < 0 || sexPlace < 0) return false
    return present[agePlace] === before[agePlace] && present[sexPlace] === before[sexPlace]
  }
}

function isTrue(value: number, { from, below }: SlotStatement): boolean {
  return value >= from && value < below
}

function cellOf(state: number): number | undefined {
  switch (state) {
    case STATE.outOfRange:
    case STATE.otherCoding:
      return CELL.outOfRange
    case STATE.notPermitted:
      return CELL.wrongCode
    case STATE.mismatch:
      return CELL.wrongSum
    case STATE.notAnInteger:
    case STATE.notANumber:
    case STATE.notADate:
    case STATE.dateInFuture:
      return CELL.wrongForm
    default:
      return undefined
  }
}

/** Numbers have at most three decimals; neighbouring ones come into bins that are far apart. */
function binOf(value: number): number {
  const mixed = Math.imul(Math.round(value * 1_000) | 0, 0x9e3779b1)
  return (mixed >>> 16) & VALUE_MASK
}

function mix(mixed: number, place: number, value: number): number {
  const turned = Math.imul(mixed ^ Math.imul(place + 1, 0x85ebca6b), 0x9e3779b1)
  return (turned ^ (turned >>> 15) ^ Math.imul(Math.round(value * 1_000) | 0, 0xc2b2ae35)) | 0
}

function add(counts: Uint32Array, cell: number): void {
  counts[cell] = (counts[cell] as number) + 1
}

function addAll(own: Uint32Array, other: Uint32Array): void {
  const length = Math.min(own.length, other.length)
  for (let at = 0; at < length; at++) own[at] = (own[at] as number) + (other[at] as number)
}
