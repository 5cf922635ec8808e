/** Numbers or bytes in a buffer that grows. It is kept for the next answer: allocating it again costs more than reading a record. */

type Numbers = Uint8Array | Int16Array | Float64Array

const FIRST_BYTES = 2_048
/** The largest size that is kept; a larger buffer is freed. */
const KEPT_BYTES = 4_194_304
const BYTES_PER_CHARACTER = 3
const encoder = new TextEncoder()

export class GrowingBuffer<T extends Numbers> {
  length = 0
  protected numbers: T
  private readonly kind: new (length: number) => T

  constructor(kind: (new (length: number) => T) & { readonly BYTES_PER_ELEMENT: number }) {
    this.kind = kind
    this.numbers = new kind(FIRST_BYTES / kind.BYTES_PER_ELEMENT)
  }

  add(number: number): void {
    this.reserve(1)
    this.numbers[this.length++] = number
  }

  addAll(numbers: T): void {
    this.reserve(numbers.length)
    this.numbers.set(numbers, this.length)
    this.length += numbers.length
  }

  /** What was added so far. The next addition may change it. */
  view(): T {
    return this.numbers.subarray(0, this.length) as T
  }

  /** The same in memory of its own. */
  finished(): T {
    return this.numbers.slice(0, this.length) as T
  }

  clear(): void {
    if (this.numbers.byteLength > KEPT_BYTES) this.numbers = new this.kind(FIRST_BYTES)
    this.length = 0
  }

  protected reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.numbers.length) return
    const larger = new this.kind(Math.max(needed, this.numbers.length * 2))
    larger.set(this.view())
    this.numbers = larger
  }
}

export class GrowingText extends GrowingBuffer<Uint8Array> {
  constructor() {
    super(Uint8Array)
  }

  addText(text: string): void {
    this.reserve(text.length * BYTES_PER_CHARACTER)
    this.length += encoder.encodeInto(text, this.numbers.subarray(this.length)).written
  }
}
