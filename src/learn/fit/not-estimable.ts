/** Estimates that do not settle, and which columns are to blame. */
import type { ColumnRange } from './column-range.ts'

/** The estimates run away: some columns tell the outcome perfectly. */
export class NotEstimable extends Error {
  override readonly name = 'NotEstimable'
  /** Indexes of the columns that run away. */
  readonly columns: readonly number[]

  constructor(columns: readonly number[]) {
    super('the estimates do not settle')
    this.columns = columns
  }
}

/** After a sound number of steps, a coefficient whose step still moves a row this far runs away. */
const RUNAWAY_STEP = 0.2

/** Columns whose step still moves some row far, from one end of the column to the other. */
export function runaways(step: Float64Array, ranges: readonly ColumnRange[]): readonly number[] {
  return ranges.flatMap(({ lowest, highest, scale }, column) => {
    const width = (Math.max(...highest) - Math.min(...lowest)) / scale
    return Math.abs(step[column + 1] as number) * width > RUNAWAY_STEP ? [column] : []
  })
}

/** The column with the largest coefficient: the likeliest to run away. */
export function largest(coefficients: Float64Array): readonly number[] {
  let column = 0
  for (let k = 1; k < coefficients.length; k++) {
    if (Math.abs(coefficients[k] as number) > Math.abs(coefficients[column + 1] as number)) column = k - 1
  }
  return coefficients.length > 1 ? [column] : []
}
