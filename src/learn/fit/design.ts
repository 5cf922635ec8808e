/**
 * The rows of a regression: one number a column, the outcome, and the patient. Columns are centred and scaled once,
 * which keeps the equations well conditioned; estimates are turned back to the columns as they were.
 */
import { type Predictions, weightOf } from '../figures/predictions.ts'

export interface ColumnRange {
  readonly mean: number
  readonly scale: number
  /** Among the rows without the event, and among those with it. */
  readonly lowest: readonly [number, number]
  readonly highest: readonly [number, number]
}

interface Including {
  /** What is added to the linear predictor of each row, not estimated. */
  readonly offsets?: boolean
  /** How much each row counts; without weights every row counts once. */
  readonly weights?: boolean
}

const FIRST_ROWS = 1024

/** The arrays are longer than `rows` while rows are added: their memory doubles when it is full. */
export class Design {
  readonly columns: readonly string[]
  rows = 0
  events = 0
  /** One more than the highest cluster. */
  clusters = 0
  /** Row by row. */
  values: Float64Array<ArrayBuffer>
  outcomes = new Uint8Array(FIRST_ROWS)
  clusterOf = new Int32Array(FIRST_ROWS)
  offsets: Float64Array<ArrayBuffer> | undefined
  weights: Float64Array<ArrayBuffer> | undefined
  private standard: readonly ColumnRange[] | undefined

  constructor(columns: readonly string[], { offsets = false, weights = false }: Including = {}) {
    this.columns = columns
    this.values = new Float64Array(FIRST_ROWS * columns.length)
    this.offsets = offsets ? new Float64Array(FIRST_ROWS) : undefined
    this.weights = weights ? new Float64Array(FIRST_ROWS) : undefined
  }

  /** A column for each name, from the rows of predictions. */
  static over(
    predictions: Predictions,
    columns: Readonly<Record<string, (row: number) => number>>,
    offset?: (row: number) => number,
  ): Design {
    const { risks, outcomes, clusters, weights } = predictions
    const including = { offsets: offset !== undefined, weights: weights !== undefined }
    const design = new Design(Object.keys(columns), including)
    const reads = Object.values(columns)
    const values = new Float64Array(reads.length)
    for (let row = 0; row < risks.length; row++) {
      for (let k = 0; k < reads.length; k++) values[k] = (reads[k] as (row: number) => number)(row)
      const [outcome, cluster] = [outcomes[row] as 0 | 1, clusters[row] as number]
      design.add(values, outcome, cluster, offset?.(row), weightOf(predictions, row))
    }
    return design
  }

  add(values: ArrayLike<number>, outcome: 0 | 1, cluster: number, offset = 0, weight = 1): void {
    const width = this.columns.length
    if (this.rows === this.outcomes.length) this.grow(2 * this.rows)
    const row = this.rows++
    for (let column = 0; column < width; column++)
      this.values[row * width + column] = values[column] as number
    this.outcomes[row] = outcome
    this.clusterOf[row] = cluster
    if (this.offsets !== undefined) this.offsets[row] = offset
    if (this.weights !== undefined) this.weights[row] = weight
    this.events += outcome
    this.clusters = Math.max(this.clusters, cluster + 1)
  }

  private grow(rows: number): void {
    const numbers = (of: Float64Array<ArrayBuffer>, width = 1): Float64Array<ArrayBuffer> =>
      new Float64Array(of.buffer.transfer(rows * width * of.BYTES_PER_ELEMENT))
    this.values = numbers(this.values, this.columns.length)
    this.outcomes = new Uint8Array(this.outcomes.buffer.transfer(rows))
    this.clusterOf = new Int32Array(this.clusterOf.buffer.transfer(rows * this.clusterOf.BYTES_PER_ELEMENT))
    if (this.offsets !== undefined) this.offsets = numbers(this.offsets)
    if (this.weights !== undefined) this.weights = numbers(this.weights)
  }

  /** Centres and scales every column in place, and says how they were. A constant column keeps the scale 1. */
  standardise(): readonly ColumnRange[] {
    this.standard ??= this.columns.map((_name, column) => this.standardiseColumn(column))
    return this.standard
  }

  private standardiseColumn(column: number): ColumnRange {
    const { values, outcomes } = this
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
    const isConstant = Math.min(...lowest) === Math.max(...highest)
    const scale = isConstant ? 1 : Math.sqrt(squares / this.rows)
    for (let place = column; place < end; place += width)
      values[place] = ((values[place] as number) - mean) / scale
    return { mean, scale, lowest, highest }
  }

  /** The rows for which the condition holds, as a design of its own whose columns are the standardised ones of this one. */
  select(holds: (row: number) => boolean): Design {
    this.standardise()
    const { values, outcomes, clusterOf, offsets, weights } = this
    const width = this.columns.length
    const part = new Design(this.columns, { offsets: offsets !== undefined, weights: weights !== undefined })
    for (let row = 0; row < this.rows; row++) {
      if (!holds(row)) continue
      const own = values.subarray(row * width, (row + 1) * width)
      part.add(own, outcomes[row] as 0 | 1, clusterOf[row] as number, offsets?.[row], weights?.[row])
    }
    return part
  }

  /** The log odds of a row by coefficients of the standardised columns, intercept first. */
  logOdds(standard: Float64Array, row: number): number {
    const width = this.columns.length
    let eta = (standard[0] as number) + (this.offsets?.[row] ?? 0)
    for (let k = 0; k < width; k++)
      eta += (standard[k + 1] as number) * (this.values[row * width + k] as number)
    return eta
  }

  /** The risks that coefficients of the standardised columns give to the rows. */
  predict(standard: Float64Array): Predictions {
    this.standardise()
    const { rows, weights } = this
    return {
      risks: new Float64Array(rows).map((_risk, row) => 1 / (1 + Math.exp(-this.logOdds(standard, row)))),
      outcomes: this.outcomes.subarray(0, rows),
      clusters: this.clusterOf.subarray(0, rows),
      ...(weights === undefined ? {} : { weights: weights.subarray(0, rows) }),
    }
  }

  /** Coefficients of the columns as they were given, intercept first, as those of the standardised columns. */
  toStandard(coefficients: ArrayLike<number>): Float64Array {
    const ranges = this.standardise()
    const standard = new Float64Array(ranges.length + 1)
    standard[0] = coefficients[0] as number
    ranges.forEach(({ mean, scale }, column) => {
      const value = coefficients[column + 1] as number
      standard[0] = (standard[0] as number) + value * mean
      standard[column + 1] = value * scale
    })
    return standard
  }

  /** The matrix that turns estimates for standardised columns into those for the columns as they were given. */
  backTransform(): Float64Array {
    const ranges = this.standardise()
    const size = ranges.length + 1
    const matrix = new Float64Array(size * size)
    matrix[0] = 1
    ranges.forEach(({ mean, scale }, column) => {
      matrix[column + 1] = -mean / scale
      matrix[(column + 1) * size + column + 1] = 1 / scale
    })
    return matrix
  }
}
