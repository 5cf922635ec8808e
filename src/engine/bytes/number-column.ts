/** Numbers of one kind that come one after the other. */

interface Numbers {
  readonly length: number
  [index: number]: number
  set(numbers: this): void
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
    if (this.length === this.numbers.length) {
      const larger = new this.kind(this.length * 4)
      larger.set(this.numbers)
      this.numbers = larger
    }
    this.numbers[this.length++] = number
  }

  finished(): T {
    return this.numbers.subarray(0, this.length)
  }
}
