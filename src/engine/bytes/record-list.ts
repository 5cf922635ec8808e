/** The records of a request in turn: where each lies in the body, where its answer starts, and its idx. */

export interface ListedRecord {
  readonly start: number
  readonly end: number
  /** Where its answer starts. */
  readonly answer: number
  /** Whether the reader left it to the reference. */
  readonly isLeft: boolean
}

const PLACES = 3
const FIRST_CAPACITY = 64

export class RecordList {
  length = 0
  /** Whether every idx is higher than the one before it: then no two are the same. */
  isAscending = true
  private places = new Uint32Array(FIRST_CAPACITY * PLACES)
  private all = new Float64Array(FIRST_CAPACITY)
  private left = new Uint8Array(FIRST_CAPACITY)
  private last = -Infinity

  /** NaN stands for a record without a usable idx. */
  add(start: number, end: number, answer: number, idx: number, isLeft: boolean): void {
    if (this.length === this.all.length) this.enlarge()
    const place = this.length * PLACES
    this.places[place] = start
    this.places[place + 1] = end
    this.places[place + 2] = answer
    this.all[this.length] = idx
    if (isLeft) this.left[this.length] = 1
    this.length++
    if (idx <= this.last) this.isAscending = false
    else if (!Number.isNaN(idx)) this.last = idx
  }

  at(position: number): ListedRecord {
    const place = position * PLACES
    return {
      start: this.places[place] as number,
      end: this.places[place + 1] as number,
      answer: this.places[place + 2] as number,
      isLeft: this.left[position] === 1,
    }
  }

  idxs(): Float64Array {
    return this.all.subarray(0, this.length)
  }

  private enlarge(): void {
    const { places, all, left } = this
    const capacity = all.length * 4
    this.places = new Uint32Array(capacity * PLACES)
    this.places.set(places)
    this.all = new Float64Array(capacity)
    this.all.set(all)
    this.left = new Uint8Array(capacity)
    this.left.set(left)
  }
}
