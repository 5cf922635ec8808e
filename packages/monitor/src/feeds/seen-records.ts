/**
 * The fields of records that were seen, one record after the other in a few arrays. They are taken while a body is answered and counted
 * afterwards, so that a body that is read a second time counts once. They can be cloned as they are, and are not kept.
 */
import { STATE } from 'patient-risk-engine'
import { isMissingText } from './knowledge/missing-codes.ts'

/** The slots of one record, after it was read: before it is judged or after. */
export interface ObservedSlots {
  readonly values: Float64Array
  readonly states: Uint8Array
  /** Texts and numbers that were refused: slot and value in turn. */
  readonly refused?: readonly (number | string)[]
}

/** The state of a field that holds a text which stands for a missing value. No slot has it. */
export const MISSING_TEXT = 255

export interface SeenRecords {
  readonly records: number
  /** Records whose idx is refused, or that another record of the body repeats. */
  readonly wrongIdx: number
  /** Where the fields of each record end. */
  readonly ends: Uint32Array
  /** Each field that a record carries: its place, and what its slot held. */
  readonly places: Uint16Array
  readonly states: Uint8Array
  readonly values: Float64Array
}

const FIRST_ENTRIES = 64
const FIRST_RECORDS = 8

export class SeenRecordsBuffer implements SeenRecords {
  records = 0
  wrongIdx = 0
  ends = new Uint32Array(FIRST_RECORDS)
  places = new Uint16Array(FIRST_ENTRIES)
  states = new Uint8Array(FIRST_ENTRIES)
  values = new Float64Array(FIRST_ENTRIES)
  private entries = 0

  add(slots: ObservedSlots, hasWrongIdx = false): void {
    const { states: slotStates, values: slotValues } = slots
    const { length } = slotStates
    if (this.entries + length > this.places.length) this.grow(this.entries + length)
    if (this.records === this.ends.length) this.ends = moved(this.ends, new Uint32Array(2 * this.records))
    const { places, states, values } = this
    let next = this.entries
    for (let place = 0; place < length; place++) {
      const state = slotStates[place] as number
      // Most fields of the catalogue are absent.
      if (state === STATE.absent) continue
      if (state === STATE.computed || state === STATE.assumed) continue
      places[next] = place
      states[next] = state
      values[next] = slotValues[place] as number
      next++
    }
    if (slots.refused !== undefined && slots.refused.length > 0) this.markTexts(slots.refused, next)
    this.entries = next
    this.ends[this.records] = next
    this.records++
    if (hasWrongIdx) this.wrongIdx++
  }

  /** The next record is the first one. */
  clear(): void {
    this.records = 0
    this.wrongIdx = 0
    this.entries = 0
  }

  /** Of the record whose fields end here. */
  private markTexts(refused: readonly (number | string)[], end: number): void {
    for (let at = 0; at < refused.length; at += 2) {
      const text = refused[at + 1]
      if (typeof text !== 'string' || !isMissingText(text)) continue
      const place = this.places.subarray(this.entries, end).indexOf(refused[at] as number)
      if (place >= 0) this.states[this.entries + place] = MISSING_TEXT
    }
  }

  private grow(entries: number): void {
    const size = Math.max(entries, 2 * this.places.length)
    this.places = moved(this.places, new Uint16Array(size))
    this.states = moved(this.states, new Uint8Array(size))
    this.values = moved(this.values, new Float64Array(size))
  }
}

function moved<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from)
  return to
}
