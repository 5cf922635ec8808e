/**
 * Counts of the records of one feed, taken from the slots of records that were read anyway. Counts only: no record can be read back from
 * them. They can be taken on a worker, sent as plain data, and added up.
 */
import { STATE } from 'patient-risk-engine'
import type { FeedFieldPlan, FeedPlan, SlotStatement } from './feed-plan.ts'
import { MISSING_CODES, EARLIEST_USUAL_DATE, isOtherCode } from './knowledge/other-codes.ts'

/** The slots of one record, after it was read: before it is judged or after. */
export interface ObservedSlots {
  readonly values: Float64Array
  readonly states: Uint8Array
}

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
  /** Each number that stands for a missing value. */
  missing: 15,
  codes: 15 + MISSING_CODES.length,
  values: 15 + MISSING_CODES.length + CODE_BINS,
  /** Values between the edges of the plan; only fields of numbers have these and the ones before. */
  bins: 15 + MISSING_CODES.length + CODE_BINS + VALUE_BINS,
} as const

/** Cells of a pair: neither statement is true, only the other, only the one, both. */
export const PAIR_CELLS = 4
/** Cells of a comparison: records in which the second is above 0, both are equal, the first is higher. */
export const COMPARISON_CELLS = 3

/** What a worker sends: it can be cloned as it is. */
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
  /** Refused codes that other conventions have, by the place of the field. */
  readonly otherCodes: readonly (readonly [place: number, count: number])[]
}

/** A record with fewer decimals, or fewer fields, may equal one of another patient by chance. */
const FEWEST_DECIMALS = 3
const FEWEST_FIELDS = 10
/** So many records of one body are compared with each other. */
const MOST_COMPARED = 20_000
/** Longer texts are not codes. */
const LONGEST_CODE = 16
/** Of a patient who comes again and again, one of so many records counts: a column of one age and one sex is not one patient. */
const SAME_EVERY = 5
/** The states of all fields are looked at in one of so many records; in the others those that came before. */
const ALL_EVERY = 8

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
  readonly otherCodes = new Map<number, number>()
  /** The places of fields that have come. */
  private readonly sent: number[] = []
  /** Counts that are all 0, for fields that come again. */
  private readonly spare: (Uint32Array | undefined)[] = []
  /** What `data` has given last. */
  private given: FeedCountsData['fields'] | undefined
  /** The records of the present body, as numbers that they are mixed to. */
  private readonly seen = new Set<number>()
  /** The record before, by slot, until the body ends. */
  private readonly previous: Float64Array
  private hasPrevious = false
  /** How often the same patient came in a row. */
  private again = 0
  private readonly agePlace: number
  private readonly sexPlace: number

  constructor(plan: FeedPlan, data?: FeedCountsData) {
    this.plan = plan
    this.fields = new Array<Uint32Array | undefined>(plan.fields.length).fill(undefined)
    this.highest = new Float64Array(plan.fields.length).fill(-Infinity)
    this.previous = new Float64Array(plan.fields.length).fill(Number.NaN)
    this.pairs = new Uint32Array(PAIR_CELLS * plan.pairs.length)
    this.comparisons = new Uint32Array(COMPARISON_CELLS * plan.comparisons.length)
    this.agePlace = plan.placeOfName.get('age') ?? -1
    this.sexPlace = plan.placeOfName.get('sex') ?? -1
    if (data !== undefined) this.merge(data)
  }

  /** Counts one record of a body. Records are neighbours until `endBody`. */
  observe(slots: ObservedSlots): void {
    if (this.received++ % ALL_EVERY === 0) this.findSent(slots.states)
    this.compareWhole(slots)
    const isNext = this.hasPrevious
    const isSame = isNext && this.isSamePatient(slots)
    this.again = isSame ? this.again + 1 : 0
    // A patient who comes again counts once, and once more in five.
    if (this.again % SAME_EVERY === 0) this.countRecord(slots, isNext && !isSame)
    this.remember(slots)
  }

  private countRecord({ states, values }: ObservedSlots, isNeighbour: boolean): void {
    this.records++
    const before = isNeighbour && this.agePlace >= 0 ? this.previous : undefined
    for (const place of this.sent) {
      const state = states[place] as number
      if (state === STATE.absent || state === STATE.computed || state === STATE.assumed) continue
      const field = this.plan.fields[place] as FeedFieldPlan
      this.count(
        place,
        field,
        state,
        values[place] as number,
        before === undefined ? Number.NaN : (before[place] as number),
      )
    }
    this.comparePairs({ states, values })
  }

  /** Notes a record that is full enough to be recognised. */
  private compareWhole({ states, values }: ObservedSlots): void {
    if (this.seen.size >= MOST_COMPARED) return
    let mixed = 0
    let given = 0
    let decimals = 0
    for (const place of this.sent) {
      const state = states[place] as number
      if (state === STATE.absent || state === STATE.computed || state === STATE.assumed) continue
      mixed = mix(mixed, place, values[place] as number)
      given++
      if (this.plan.fields[place]?.kind === 'decimal') decimals++
    }
    if (given < FEWEST_FIELDS || decimals < FEWEST_DECIMALS) return
    this.comparable++
    if (this.seen.has(mixed)) this.duplicates++
    this.seen.add(mixed)
  }

  /** A record whose idx is refused, or that another record of the body repeats. */
  observeWrongIdx(): void {
    this.wrongIdx++
  }

  /** What a field of codes, or a yes/no field, was sent and does not permit, as a text; of `true` and `1` their JSON. */
  observeCode(field: string, code: string): void {
    const place = this.plan.placeOfName.get(field)
    const kind = place === undefined ? undefined : this.plan.fields[place]?.kind
    if (place === undefined || (kind !== 'code' && kind !== 'yesNo') || code.length > LONGEST_CODE) return
    if (kind === 'code' && field !== 'sex') return
    if (isOtherCode(kind, code)) this.otherCodes.set(place, (this.otherCodes.get(place) ?? 0) + 1)
  }

  /** The body, or the file, is over: nothing of its records is kept but counts. */
  endBody(): void {
    this.seen.clear()
    this.hasPrevious = false
    this.again = 0
    for (const place of this.sent) this.previous[place] = Number.NaN
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
    for (const [place, count] of other.otherCodes)
      this.otherCodes.set(place, (this.otherCodes.get(place) ?? 0) + count)
  }

  /** Plain data of these counts. It shares their memory: the counts are not used afterwards. */
  data(): FeedCountsData {
    const { received, records, wrongIdx, comparable, duplicates, pairs, comparisons } = this
    const fields = this.sent.map(
      (place) => [place, this.fields[place] as Uint32Array, this.highest[place] as number] as const,
    )
    this.given = fields
    return {
      received,
      records,
      wrongIdx,
      comparable,
      duplicates,
      fields,
      pairs,
      comparisons,
      otherCodes: [...this.otherCodes],
    }
  }

  /** Everything begins at zero again. Counts that `data` has given stay as they are. */
  clear(): void {
    this.endBody()
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
    this.otherCodes.clear()
    this.sent.length = 0
  }

  /** What `data` has given last was counted elsewhere and is not needed: its memory is used again. */
  reuse(fields: FeedCountsData['fields']): void {
    if (fields !== this.given) return
    this.given = undefined
    this.clear()
    for (const [place, counts] of fields) this.spare[place] = counts.fill(0)
  }

  private findSent(states: Uint8Array): void {
    for (let place = 0; place < this.fields.length; place++) {
      if (this.fields[place] !== undefined) continue
      const state = states[place] as number
      if (state === STATE.absent || state === STATE.computed || state === STATE.assumed) continue
      this.countsOf(place)
    }
  }

  private countsOf(place: number): Uint32Array {
    const known = this.fields[place]
    if (known !== undefined) return known
    const { usual, cuts } = this.plan.fields[place] as FeedFieldPlan
    const size = usual === undefined ? CELL.values : CELL.bins + cuts.length + 1
    const counts = this.spare[place] ?? new Uint32Array(size)
    this.spare[place] = undefined
    this.fields[place] = counts
    this.sent.push(place)
    return counts
  }

  private count(place: number, field: FeedFieldPlan, state: number, value: number, before: number): void {
    const counts = this.fields[place] as Uint32Array
    add(counts, CELL.given)
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
    if (Number.isInteger(value)) {
      add(counts, CELL.whole)
      if (value % 5 === 0) add(counts, value % 10 === 0 ? CELL.tens : CELL.fives)
    }
    const code = MISSING_CODES.indexOf(value as 0)
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

  private comparePairs(slots: ObservedSlots): void {
    const { pairs, comparisons } = this.plan
    for (let at = 0; at < pairs.length; at++) {
      const { one, other } = pairs[at] as FeedPlan['pairs'][number]
      if (!isRead(slots, one.place) || !isRead(slots, other.place)) continue
      add(this.pairs, PAIR_CELLS * at + 2 * Number(isTrue(slots, one)) + Number(isTrue(slots, other)))
    }
    for (let at = 0; at < comparisons.length; at++) {
      const { one, other } = comparisons[at] as FeedPlan['comparisons'][number]
      if (!isRead(slots, one) || !isRead(slots, other)) continue
      const first = slots.values[one] as number
      const second = slots.values[other] as number
      const cells = COMPARISON_CELLS * at
      if (second > 0) {
        add(this.comparisons, cells)
        if (first === second) add(this.comparisons, cells + 1)
      }
      if (first > second) add(this.comparisons, cells + 2)
    }
  }

  /** Neighbours of one age and sex are probably one patient. */
  private isSamePatient(slots: ObservedSlots): boolean {
    const { previous, agePlace, sexPlace } = this
    const isSame = (place: number): boolean =>
      place >= 0 && isRead(slots, place) && slots.values[place] === previous[place]
    return isSame(agePlace) && isSame(sexPlace)
  }

  private remember({ values, states }: ObservedSlots): void {
    const { previous } = this
    for (const place of this.sent) {
      previous[place] = isRead({ values, states }, place) ? (values[place] as number) : Number.NaN
    }
    this.hasPrevious = true
  }
}

/** The slot of a field is its place. */
function isRead({ states }: ObservedSlots, place: number): boolean {
  const state = states[place]
  return state === STATE.valid || state === STATE.outOfRange
}

function isTrue({ values }: ObservedSlots, { place, from, below }: SlotStatement): boolean {
  const value = values[place] as number
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
