/**
 * The rows of a regression: one number a column, the outcome, and the patient. Columns are centred and scaled once,
 * which keeps the equations well conditioned; estimates are turned back to the columns as they were.
 */
import { type Labels, type Predictions, expit, subset } from '../numbers/predictions.ts'

interface ColumnRange {
  readonly mean: number
  readonly scale: number
  /** From the lowest to the highest value. */
  readonly width: number
  /** Among the rows without the event, and among those with it. */
  readonly lowest: Pair
  readonly highest: Pair
}

type Pair = readonly [number, number]

type OfRow = (row: number) => number

export class Design {
  readonly columns: readonly string[]
  /** Row by row. */
  readonly values: Float64Array
  readonly labels: Labels
  /** What is added to the linear predictor of each row, not estimated. */
  readonly offsets: Float64Array | undefined
  readonly rows: number
  /** How the columns were before they were centred and scaled. */
  readonly ranges: readonly ColumnRange[]

  /** Centres and scales every column of the values in place. */
  constructor(columns: readonly string[], values: Float64Array, labels: Labels, offsets?: Float64Array) {
    this.columns = columns
    this.values = values
    this.labels = labels
    this.offsets = offsets
    this.rows = labels.outcomes.length
    this.ranges = this.standardise()
  }

  /** A column for each function, from the rows of predictions. */
  static over({ risks, ...labels }: Predictions, columns: readonly OfRow[], offset?: OfRow): Design {
    const width = columns.length
    const values = new Float64Array(risks.length * width)
    columns.forEach((read, column) => {
      for (let row = 0; row < risks.length; row++) values[row * width + column] = read(row)
    })
    const offsets = offset && risks.map((_risk, row) => offset(row))
    return new Design(Object.keys(columns), values, labels, offsets)
  }

  private standardise(): readonly ColumnRange[] {
    const { values, rows } = this
    const width = this.columns.length
    const sums = new Float64Array(width)
    const squares = new Float64Array(width)
    const scales = new Float64Array(width)
    // Of all columns without the event, then of all with it.
    const lowest = new Float64Array(2 * width).fill(Infinity)
    const highest = new Float64Array(2 * width).fill(-Infinity)
    // Row by row, as the values lie in memory.
    for (let row = 0; row < rows; row++) {
      const start = row * width
      const side = (this.labels.outcomes[row] as number) * width
      for (let k = 0; k < width; k++) {
        const value = values[start + k] as number
        sums[k] = (sums[k] as number) + value
        if (value < (lowest[side + k] as number)) lowest[side + k] = value
        if (value > (highest[side + k] as number)) highest[side + k] = value
      }
    }
    const means = sums.map((sum) => sum / rows)
    // One pass over the values alone could not give the spread exactly.
    for (let start = 0; start < values.length; start += width) {
      for (let k = 0; k < width; k++)
        squares[k] = (squares[k] as number) + ((values[start + k] as number) - (means[k] as number)) ** 2
    }
    const ranges = this.columns.map((_name, k): ColumnRange => {
      const pairIn = (both: Float64Array): Pair => [both[k] as number, both[width + k] as number]
      const low = pairIn(lowest)
      const high = pairIn(highest)
      const range = Math.max(...high) - Math.min(...low)
      const scale = range === 0 ? 1 : Math.sqrt((squares[k] as number) / rows)
      scales[k] = scale
      return { mean: means[k] as number, scale, width: range, lowest: low, highest: high }
    })
    for (let start = 0; start < values.length; start += width) {
      for (let k = 0; k < width; k++) {
        const value = values[start + k] as number
        values[start + k] = (value - (means[k] as number)) / (scales[k] as number)
      }
    }
    return ranges
  }

  /** The rows for which the condition holds, as a design of its own whose columns are the standardised ones of this one. */
  select(holds: (row: number) => boolean): Design {
    const width = this.columns.length
    const chosen = [...this.labels.outcomes.keys()].filter(holds)
    const values = new Float64Array(chosen.length * width)
    for (const [place, row] of chosen.entries())
      values.set(this.values.subarray(row * width, (row + 1) * width), place * width)
    const offsets = this.offsets?.filter((_offset, row) => holds(row))
    return new Design(this.columns, values, subset(this.labels, holds), offsets)
  }

  /** The risks that coefficients of the standardised columns, intercept first, give to the rows. */
  predict(standard: Float64Array): Predictions {
    const width = this.columns.length
    const risks = new Float64Array(this.rows).map((_risk, row) => {
      let eta = (standard[0] as number) + (this.offsets?.[row] ?? 0)
      for (let k = 0; k < width; k++)
        eta += (standard[k + 1] as number) * (this.values[row * width + k] as number)
      return expit(eta)
    })
    return { risks, ...this.labels }
  }

  /** Turns coefficients of the columns as they were given, intercept first, into those of the standardised columns. */
  toStandard(coefficients: ArrayLike<number>): Float64Array {
    const standard = new Float64Array(this.columns.length + 1)
    standard[0] = coefficients[0] as number
    this.ranges.forEach(({ mean, scale }, column) => {
      const value = coefficients[column + 1] as number
      standard[0] = (standard[0] as number) + value * mean
      standard[column + 1] = value * scale
    })
    return standard
  }

  /** The matrix that turns estimates for standardised columns into those for the columns as they were given. */
  backTransform(): Float64Array {
    const size = this.columns.length + 1
    const matrix = new Float64Array(size * size)
    matrix[0] = 1
    this.ranges.forEach(({ mean, scale }, column) => {
      matrix[column + 1] = -mean / scale
      matrix[(column + 1) * size + column + 1] = 1 / scale
    })
    return matrix
  }
}
