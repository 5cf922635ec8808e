/** Values of one column for quantiles and shares: all of them up to a limit, and every n-th beyond it. */

const MOST_VALUES = 200_000

export class Sample {
  private readonly values = new Float64Array(MOST_VALUES)
  private stride = 1
  /** Values to skip before the next one is taken. */
  private skipped = 0
  private sorted: Float64Array | undefined
  size = 0

  add(value: number): void {
    if (this.skipped > 0) {
      this.skipped--
      return
    }
    this.skipped = this.stride - 1
    const { values } = this
    values[this.size] = value
    this.size++
    if (this.size < MOST_VALUES) return
    this.size = MOST_VALUES / 2
    for (let index = 0; index < this.size; index++) values[index] = values[2 * index] as number
    this.stride *= 2
  }

  quantile(share: number): number {
    this.sorted ??= this.taken().sort()
    return this.sorted[Math.round(share * (this.sorted.length - 1))] ?? Number.NaN
  }

  /** The share of the rows in each bin between the cuts; a bin holds its lower cut. */
  shares(cuts: readonly number[]): readonly number[] {
    const counts = new Array<number>(cuts.length + 1).fill(0)
    for (const value of this.taken()) {
      let bin = 0
      while (bin < cuts.length && value >= (cuts[bin] as number)) bin++
      counts[bin] = (counts[bin] as number) + 1
    }
    return counts.map((count) => count / Math.max(1, this.size))
  }

  shareOf(value: number): number {
    return this.taken().filter((each) => each === value).length / Math.max(1, this.size)
  }

  private taken(): Float64Array {
    return this.values.slice(0, this.size)
  }
}
