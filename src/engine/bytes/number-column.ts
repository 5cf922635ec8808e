/** Numbers of one kind that come one after the other. */

interface Numbers {
  readonly length: number
  [index: number]: number
  set(numbers: this, place?: number): void
  subarray(from: number, to: number): this
}

const FIRST_CAPACITY = 256

export class NumberColumn<T extends Numbers> {
  length = 0
  private numbers: T
  private readonly kind: new (length: number) => T

  constructor(kind: new (length: number) => T) {
    this.kind = kind
    this.numbers = new kind(FIRST_CAPACITY)
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

  finished(): T {
    return this.numbers.subarray(0, this.length)
  }

  private reserve(more: number): void {
    if (this.length + more <= this.numbers.length) return
    const larger = new this.kind((this.length + more) * 2)
    larger.set(this.numbers)
    this.numbers = larger
  }
}
