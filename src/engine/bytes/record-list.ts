/** The records of a request in order: their place in the body, the place of their answer, and their idx. */

export interface ListedRecord {
  readonly start: number
  readonly end: number
  /** Where its answer starts. */
  readonly answer: number
  /** Whether the reader left it to the engine. */
  readonly isLeft: boolean
}

const PLACES = 3
const FIRST_CAPACITY = 64
/** What is kept for the next request; a larger list is allocated again. */
const KEPT_CAPACITY = 16_384

export class RecordList {
  length = 0
  /** Whether every idx is higher than the one before it: then no two are the same. */
  isAscending = true
  private places = new Uint32Array(FIRST_CAPACITY * PLACES)
  private all = new Float64Array(FIRST_CAPACITY)
  private left = new Uint8Array(FIRST_CAPACITY)
  private last = -Infinity

  /** Makes the list empty for the next request. */
  clear(): void {
    if (this.all.length > KEPT_CAPACITY) this.resize(FIRST_CAPACITY)
    else this.left.fill(0, 0, this.length)
    this.length = 0
    this.isAscending = true
    this.last = -Infinity
  }

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
    this.resize(all.length * 4)
    this.places.set(places)
    this.all.set(all)
    this.left.set(left)
  }

  private resize(capacity: number): void {
    this.places = new Uint32Array(capacity * PLACES)
    this.all = new Float64Array(capacity)
    this.left = new Uint8Array(capacity)
  }
}
