/** Collects the bytes of an answer, from the reader and from the engine. */

const BYTES_PER_CHARACTER = 3
/** What is kept for the next answer; a writer that grew larger gives its bytes back. */
const KEPT_BYTES = 4_194_304
const encoder = new TextEncoder()

export class AnswerWriter {
  length = 0
  private bytes: Uint8Array

  constructor(expected: number) {
    this.bytes = new Uint8Array(expected)
  }

  add(part: Uint8Array): void {
    this.reserve(part.length)
    this.bytes.set(part, this.length)
    this.length += part.length
  }

  addByte(byte: number): void {
    this.reserve(1)
    this.bytes[this.length++] = byte
  }

  addText(text: string): void {
    this.reserve(text.length * BYTES_PER_CHARACTER)
    this.length += encoder.encodeInto(text, this.bytes.subarray(this.length)).written
  }

  /** Puts a byte where one stands already. */
  replace(place: number, byte: number): void {
    this.bytes[place] = byte
  }

  /** What was written from one place to another. */
  part(from: number, to: number): Uint8Array {
    return this.bytes.subarray(from, to)
  }

  /** The answer, in bytes of its own. */
  finished(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }

  /** Makes the writer empty for the next answer. */
  clear(): void {
    if (this.bytes.length > KEPT_BYTES) this.bytes = new Uint8Array(KEPT_BYTES)
    this.length = 0
  }

  private reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}
