/** Mean, spread and ends of every column of a design, row by row as they lie in memory. */
import type { Block } from './block.ts'

export interface ColumnRange {
  readonly mean: number
  readonly scale: number
  /** Among the rows without the event, and among those with it. */
  readonly lowest: readonly [number, number]
  readonly highest: readonly [number, number]
}

export function rangesOf(blocks: readonly Block[], width: number, count: number): readonly ColumnRange[] {
  const sums = new Float64Array(width)
  // The column of the rows without the event, then that of those with it.
  const lowest = new Float64Array(2 * width).fill(Infinity)
  const highest = new Float64Array(2 * width).fill(-Infinity)
  for (const { values, outcomes, rows } of blocks) {
    for (let row = 0, place = 0; row < rows; row++) {
      const side = (outcomes[row] as number) * width
      for (let column = 0; column < width; column++, place++) {
        const value = values[place] as number
        sums[column] = (sums[column] as number) + value
        if (value < (lowest[side + column] as number)) lowest[side + column] = value
        if (value > (highest[side + column] as number)) highest[side + column] = value
      }
    }
  }
  const means = sums.map((sum) => sum / count)
  const squares = squaresOf(blocks, means)
  return Array.from(means, (mean, column): ColumnRange => {
    const ends = (of: Float64Array): readonly [number, number] => [
      of[column] as number,
      of[width + column] as number,
    ]
    const [low, high] = [ends(lowest), ends(highest)]
    const isConstant = Math.min(...low) === Math.max(...high)
    const scale = isConstant ? 1 : Math.sqrt((squares[column] as number) / count)
    return { mean, scale, lowest: low, highest: high }
  })
}

/** The sum of squared distances from the mean, which one pass over the values alone could not give exactly. */
function squaresOf(blocks: readonly Block[], means: Float64Array): Float64Array {
  const width = means.length
  const squares = new Float64Array(width)
  for (const { values, rows } of blocks) {
    for (let row = 0, place = 0; row < rows; row++) {
      for (let column = 0; column < width; column++, place++) {
        const distance = (values[place] as number) - (means[column] as number)
        squares[column] = (squares[column] as number) + distance * distance
      }
    }
  }
  return squares
}
