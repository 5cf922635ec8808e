/**
 * The rows of a regression: one number a column, the outcome, and the patient. Columns are centred and scaled once,
 * which keeps the equations well conditioned; estimates are turned back to the columns as they were.
 */
import { type Labels, type Predictions, expit, subset } from '../figures/predictions.ts'

interface ColumnRange {
  readonly mean: number
  readonly scale: number
  /** From the lowest to the highest value. */
  readonly width: number
  /** Among the rows without the event, and among those with it. */
  readonly lowest: readonly [number, number]
  readonly highest: readonly [number, number]
}

export type Numbers = readonly number[] | Float64Array

/** Rows as they come from a file: the same number of values each, the outcome, the patient and the weight. */
export class RowList {
  private numbers = new Float64Array(0)
  private end = 0
  private readonly outcomes: number[] = []
  private readonly clusters: number[] = []
  private readonly weights: number[] = []

  add(values: Numbers, row: { outcome: 0 | 1; patient: number }, weight?: number): void {
    const needed = this.end + values.length
    if (needed > this.numbers.length) {
      const shorter = this.numbers
      this.numbers = new Float64Array(2 * needed)
      this.numbers.set(shorter)
    }
    for (const value of values) this.numbers[this.end++] = value
    this.outcomes.push(row.outcome)
    this.clusters.push(row.patient)
    if (weight !== undefined) this.weights.push(weight)
  }

  /** The values of all rows, row by row. */
  get values(): Float64Array {
    return this.numbers.subarray(0, this.end)
  }

  labels(): Labels {
    const labels = { outcomes: Uint8Array.from(this.outcomes), clusters: Int32Array.from(this.clusters) }
    return this.weights.length === 0 ? labels : { ...labels, weights: Float64Array.from(this.weights) }
  }
}

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
    this.ranges = columns.map((_name, column) => this.standardise(column))
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

  private standardise(column: number): ColumnRange {
    const { values } = this
    const { outcomes } = this.labels
    const width = this.columns.length
    const end = this.rows * width
    const lowest: [number, number] = [Infinity, Infinity]
    const highest: [number, number] = [-Infinity, -Infinity]
    let sum = 0
    for (let place = column, row = 0; place < end; place += width, row++) {
      const value = values[place] as number
      const side = outcomes[row] as 0 | 1
      sum += value
      if (value < lowest[side]) lowest[side] = value
      if (value > highest[side]) highest[side] = value
    }
    const mean = sum / this.rows
    // One pass over the values alone could not give the spread exactly.
    let squares = 0
    for (let place = column; place < end; place += width) squares += ((values[place] as number) - mean) ** 2
    const range = Math.max(...highest) - Math.min(...lowest)
    const scale = range === 0 ? 1 : Math.sqrt(squares / this.rows)
    for (let place = column; place < end; place += width)
      values[place] = ((values[place] as number) - mean) / scale
    return { mean, scale, width: range, lowest, highest }
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

  /** Coefficients of the columns as they were given, intercept first, as those of the standardised columns. */
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
