/**
 * Recognises a grid: rows that someone made from every combination of some values, as `expand.grid` of R and `itertools.product` of Python
 * do. They prove an import well, and say nothing about patients.
 */

/** More different rows are not a grid of few values, and counting them would take memory for nothing. */
const MOST_COMBINATIONS = 1_000_000

export class CombinationCounter {
  private readonly counts = new Map<string, number>()
  private readonly values: readonly Set<number>[]
  private isTooMany = false

  constructor(inputs: number) {
    this.values = Array.from({ length: inputs }, () => new Set<number>())
  }

  /** The values of the inputs, NaN for a missing one. */
  add(row: readonly number[]): void {
    if (this.isTooMany) return
    row.forEach((value, input) => this.values[input]?.add(value))
    const key = row.join()
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
    if (this.counts.size > MOST_COMBINATIONS) this.isTooMany = true
  }

  /** Whether every combination of the values is there, and each equally often; at least two inputs must vary. */
  get isGrid(): boolean {
    const sizes = this.values.map(({ size }) => size).filter((size) => size > 1)
    if (this.isTooMany || sizes.length < 2) return false
    const combinations = sizes.reduce((product, size) => product * size, 1)
    return this.counts.size === combinations && new Set(this.counts.values()).size === 1
  }
}
