/**
 * The fields of records that were seen, one record after the other in a few arrays. They are taken while a body is answered and counted
 * afterwards, so that a body that is read a second time counts once. They can be cloned as they are, and are not kept.
 */
import { STATE } from 'patient-risk-engine'

/** The slots of one record, after it was read: before it is judged or after. */
export interface ObservedSlots {
  readonly values: Float64Array
  readonly states: Uint8Array
}

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
