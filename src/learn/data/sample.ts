/** Values of one column for quantiles and shares: all of them up to a limit, and every so many-th beyond it. */

const MOST_VALUES = 200_000

export class Sample {
  private values: number[] = []
  private stride = 1
  /** Values to pass over before the next one is taken. */
  private skipped = 0
  private sorted: Float64Array | undefined

  add(value: number): void {
    if (this.skipped-- > 0) return
    this.skipped = this.stride - 1
    this.values.push(value)
    if (this.values.length < MOST_VALUES) return
    this.values = this.values.filter((_value, index) => index % 2 === 0)
    this.stride *= 2
  }

  get size(): number {
    return this.values.length
  }

  /** The value that this share of the rows does not exceed. */
  quantile(share: number): number {
    this.sorted ??= Float64Array.from(this.values).sort()
    return this.sorted[Math.round(share * (this.sorted.length - 1))] ?? Number.NaN
  }

  /** The share of the rows in each bin between the cuts; a bin holds its lower cut. */
  shares(cuts: readonly number[]): readonly number[] {
    const counts = new Array<number>(cuts.length + 1).fill(0)
    for (const value of this.values) {
      let bin = 0
      while (bin < cuts.length && value >= (cuts[bin] as number)) bin++
      counts[bin] = (counts[bin] as number) + 1
    }
    return counts.map((count) => count / Math.max(1, this.values.length))
  }

  /** The share of each value. */
  shareOf(value: number): number {
    return this.values.filter((each) => each === value).length / Math.max(1, this.values.length)
  }
}
