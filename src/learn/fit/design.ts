/**
 * The rows of a regression: one number a column, the outcome, and the patient. Columns are centred and scaled once,
 * which keeps the equations well conditioned; estimates are turned back to the columns as they were.
 */
import {
  type Labels,
  type Predictions,
  clusterCount,
  eventsOf,
  expit,
  labelsWhere,
} from '../figures/predictions.ts'

export interface ColumnRange {
  readonly mean: number
  readonly scale: number
  /** Among the rows without the event, and among those with it. */
  readonly lowest: readonly [number, number]
  readonly highest: readonly [number, number]
}

const FIRST_ROWS = 1_024

/** Rows as they come from a file: some numbers each, the outcome, the patient and the weight. */
export class RowList {
  /** How many numbers a row has, as the first one shows. */
  private width = 0
  private rows = 0
  private numbers = new Float64Array(0)
  private outcomes = new Uint8Array(FIRST_ROWS)
  private clusters = new Int32Array(FIRST_ROWS)
  private weights = new Float64Array(FIRST_ROWS)

  add(values: ArrayLike<number>, row: { outcome: 0 | 1; patient: number; weight?: number }): void {
    if (this.rows === 0) {
      this.width = values.length
      this.numbers = new Float64Array(FIRST_ROWS * this.width)
    } else if (this.rows === this.outcomes.length) this.grow()
    const start = this.rows * this.width
    for (let k = 0; k < this.width; k++) this.numbers[start + k] = values[k] as number
    this.outcomes[this.rows] = row.outcome
    this.clusters[this.rows] = row.patient
    this.weights[this.rows++] = row.weight ?? 1
  }

  /** The numbers of all rows, row by row. */
  get values(): Float64Array {
    return this.numbers.subarray(0, this.rows * this.width)
  }

  labels(isWeighted = false): Labels {
    const { rows } = this
    return {
      outcomes: this.outcomes.subarray(0, rows),
      clusters: this.clusters.subarray(0, rows),
      ...(isWeighted ? { weights: this.weights.subarray(0, rows) } : {}),
    }
  }

  design(columns: readonly string[], isWeighted = false): Design {
    return new Design(columns, this.values, this.labels(isWeighted))
  }

  private grow(): void {
    const twice = <T extends Float64Array | Int32Array | Uint8Array>(list: T, longer: T): T => {
      longer.set(list)
      return longer
    }
    const rows = this.rows * 2
    this.numbers = twice(this.numbers, new Float64Array(rows * this.width))
    this.outcomes = twice(this.outcomes, new Uint8Array(rows))
    this.clusters = twice(this.clusters, new Int32Array(rows))
    this.weights = twice(this.weights, new Float64Array(rows))
  }
}

export class Design {
  readonly columns: readonly string[]
  /** Row by row. */
  readonly values: Float64Array
  readonly labels: Labels
  /** What is added to the linear predictor of each row, not estimated. */
  readonly offsets: Float64Array | undefined
  readonly rows: number
  readonly events: number
  /** One more than the highest cluster. */
  readonly clusters: number
  private standard: readonly ColumnRange[] | undefined

  constructor(columns: readonly string[], values: Float64Array, labels: Labels, offsets?: Float64Array) {
    this.columns = columns
    this.values = values
    this.labels = labels
    this.offsets = offsets
    this.rows = labels.outcomes.length
    this.events = eventsOf(labels)
    this.clusters = clusterCount(labels.clusters)
  }

  /** A column for each name, from the rows of predictions. */
  static over(
    { risks, ...labels }: Predictions,
    columns: Readonly<Record<string, (row: number) => number>>,
    offset?: (row: number) => number,
  ): Design {
    const reads = Object.values(columns)
    const values = new Float64Array(risks.length * reads.length)
    reads.forEach((read, column) => {
      for (let row = 0; row < risks.length; row++) values[row * reads.length + column] = read(row)
    })
    const offsets = offset && risks.map((_risk, row) => offset(row))
    return new Design(Object.keys(columns), values, labels, offsets)
  }

  /** Centres and scales every column in place, and says how they were. A constant column keeps the scale 1. */
  standardise(): readonly ColumnRange[] {
    this.standard ??= this.columns.map((_name, column) => this.standardiseColumn(column))
    return this.standard
  }

  private standardiseColumn(column: number): ColumnRange {
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
    const isConstant = Math.min(...lowest) === Math.max(...highest)
    const scale = isConstant ? 1 : Math.sqrt(squares / this.rows)
    for (let place = column; place < end; place += width)
      values[place] = ((values[place] as number) - mean) / scale
    return { mean, scale, lowest, highest }
  }

  /** The rows for which the condition holds, as a design of its own whose columns are the standardised ones of this one. */
  select(holds: (row: number) => boolean): Design {
    this.standardise()
    const width = this.columns.length
    const chosen = Array.from({ length: this.rows }, (_each, row) => row).filter(holds)
    const values = new Float64Array(chosen.length * width)
    chosen.forEach((row, place) =>
      values.set(this.values.subarray(row * width, (row + 1) * width), place * width),
    )
    const offsets = this.offsets?.filter((_offset, row) => holds(row))
    return new Design(this.columns, values, labelsWhere(this.labels, holds), offsets)
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
    const risks = new Float64Array(this.rows).map((_risk, row) => expit(this.logOdds(standard, row)))
    return { risks, ...this.labels }
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
