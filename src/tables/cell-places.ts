/** Where the cells of one row lie in a piece of a file. A cell becomes a text or a number when it is asked for. */
import { plainNumber } from './plain-number.ts'

/** What must be done to a cell's bytes before they are its text. */
export const HAS_QUOTES = 1
export const IS_WIDE = 2

export class CellPlaces {
  count = 0
  private readonly bytes: Buffer
  /** Every byte as one character, so that a cell of plain letters is cut out of it without decoding. */
  private readonly letters: string
  private starts = new Int32Array(64)
  private ends = new Int32Array(64)
  private kinds = new Uint8Array(64)

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.letters = bytes.toString('latin1')
  }

  add(start: number, end: number, kind: number): void {
    if (this.count === this.starts.length) this.grow()
    this.starts[this.count] = start
    this.ends[this.count] = end
    this.kinds[this.count++] = kind
  }

  isEmpty(place: number): boolean {
    return this.starts[place] === this.ends[place]
  }

  text(place: number): string {
    const start = this.starts[place] as number
    const end = this.ends[place] as number
    const kind = this.kinds[place] as number
    if (kind === 0) return this.letters.slice(start, end)
    const text = kind & IS_WIDE ? this.bytes.toString('utf8', start, end) : this.letters.slice(start, end)
    return kind & HAS_QUOTES ? text.replaceAll('""', '"') : text
  }

  /** The number of a cell that is plainly one; NaN for every other cell, which its text may still tell. */
  number(place: number): number {
    return plainNumber(this.bytes, this.starts[place] as number, this.ends[place] as number)
  }

  private grow(): void {
    const { starts, ends, kinds } = this
    this.starts = new Int32Array(starts.length * 2)
    this.ends = new Int32Array(starts.length * 2)
    this.kinds = new Uint8Array(starts.length * 2)
    this.starts.set(starts)
    this.ends.set(ends)
    this.kinds.set(kinds)
  }
}
