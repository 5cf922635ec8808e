/**
 * Counts of the records of one feed, taken from the slots of records that were read anyway. Counts only: no record can be read back from
 * them. They can be taken on a worker, sent as plain data, and added up.
 */
import { STATE } from 'patient-risk-engine'
import type { FeedPlan } from './feed-plan.ts'

/** The slots of one record, after it was read. */
export interface ObservedSlots {
  readonly values: Float64Array
  readonly states: Uint8Array
}

/** Where each count of a field lies. The bins of its values follow. */
export const CELL = {
  /** Records that carry the field. */
  given: 0,
  /** Records in which it is invalid. */
  wrong: 1,
  bins: 2,
} as const

/** What a worker sends: it can be cloned as it is. */
export interface FeedCountsData {
  readonly records: number
  readonly duplicates: number
  /** The counts of the fields that came, by their place in the plan. */
  readonly fields: readonly (readonly [place: number, counts: Uint32Array])[]
  /** Refused codes of a field, by its place. */
  readonly codes: readonly (readonly [place: number, codes: readonly (readonly [string, number])[]])[]
}

/** Texts longer than this, or more of them for one field, are not codes. */
const LONGEST_CODE = 16
const MOST_CODES = 16

export class FeedCounts {
  readonly plan: FeedPlan
  records = 0
  /** Records that equal another one of the same body or file in everything but their idx. */
  duplicates = 0
  readonly fields: (Uint32Array | undefined)[]
  readonly codes = new Map<number, Map<string, number>>()

  constructor(plan: FeedPlan, data?: FeedCountsData) {
    this.plan = plan
    this.fields = new Array<Uint32Array | undefined>(plan.fields.length).fill(undefined)
    if (data !== undefined) this.merge(data)
  }

  /** Counts one record. */
  observe({ values, states }: ObservedSlots): void {
    this.records++
    const { fields } = this.plan
    for (let place = 0; place < fields.length; place++) {
      const slot = (fields[place] as FeedPlan['fields'][number]).slot
      const state = states[slot] as number
      if (state === STATE.absent || state === STATE.computed || state === STATE.assumed) continue
      this.count(place, state, values[slot] as number)
    }
  }

  private count(place: number, state: number, value: number): void {
    const { cuts } = this.plan.fields[place] as FeedPlan['fields'][number]
    const counts = this.countsOf(place)
    add(counts, CELL.given)
    if (state !== STATE.valid && state !== STATE.outOfRange) return add(counts, CELL.wrong)
    if (state !== STATE.valid) add(counts, CELL.wrong)
    let bin = 0
    while (bin < cuts.length && value >= (cuts[bin] as number)) bin++
    add(counts, CELL.bins + bin)
  }

  private countsOf(place: number): Uint32Array {
    const { cuts } = this.plan.fields[place] as FeedPlan['fields'][number]
    return (this.fields[place] ??= new Uint32Array(CELL.bins + cuts.length + 1))
  }

  /** Counts a text or a number that a field of codes, or a yes/no field, was sent and does not permit. */
  observeCode(field: string, code: string): void {
    const place = this.plan.placeOfName.get(field)
    if (place === undefined || code.length > LONGEST_CODE) return
    const codes = this.codes.get(place) ?? new Map<string, number>()
    this.codes.set(place, codes)
    if (codes.has(code) || codes.size < MOST_CODES) codes.set(code, (codes.get(code) ?? 0) + 1)
  }

  merge(other: FeedCountsData): void {
    this.records += other.records
    this.duplicates += other.duplicates
    for (const [place, counts] of other.fields) {
      const own = this.countsOf(place)
      for (let at = 0; at < own.length; at++) own[at] = (own[at] as number) + (counts[at] ?? 0)
    }
    for (const [place, codes] of other.codes) {
      const own = this.codes.get(place) ?? new Map<string, number>()
      this.codes.set(place, own)
      for (const [code, count] of codes)
        if (own.has(code) || own.size < MOST_CODES) own.set(code, (own.get(code) ?? 0) + count)
    }
  }

  data(): FeedCountsData {
    return {
      records: this.records,
      duplicates: this.duplicates,
      fields: this.fields.flatMap((counts, place) =>
        counts === undefined ? [] : [[place, counts] as const],
      ),
      codes: [...this.codes].map(([place, codes]) => [place, [...codes]] as const),
    }
  }

  /** What is counted begins at zero again. */
  clear(): void {
    this.records = 0
    this.duplicates = 0
    this.fields.fill(undefined)
    this.codes.clear()
  }
}

function add(counts: Uint32Array, cell: number): void {
  counts[cell] = (counts[cell] as number) + 1
}
