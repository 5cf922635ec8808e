/**
 * The rows of a regression: one number a column, the outcome, and the patient. Kept in blocks of numbers,
 * so that memory grows with the data and no block is ever copied. Columns are centred and scaled once,
 * which keeps the equations well conditioned; estimates are turned back to the columns as they were.
 */

const BLOCK_ROWS = 16_384

export interface Block {
  /** Row by row. */
  readonly values: Float64Array
  readonly outcomes: Uint8Array
  readonly clusters: Int32Array
  /** What is added to the linear predictor of each row, unestimated. */
  readonly offsets: Float64Array | undefined
  rows: number
}

export interface ColumnRange {
  readonly mean: number
  readonly scale: number
  readonly lowest: readonly [number, number]
  readonly highest: readonly [number, number]
}

export class Design {
  readonly columns: readonly string[]
  readonly blocks: Block[] = []
  rows = 0
  events = 0
  /** One more than the highest cluster. */
  clusters = 0
  private readonly hasOffsets: boolean
  private standard: readonly ColumnRange[] | undefined

  constructor(columns: readonly string[], hasOffsets = false) {
    this.columns = columns
    this.hasOffsets = hasOffsets
  }

  add(values: ArrayLike<number>, outcome: 0 | 1, cluster: number, offset = 0): void {
    const width = this.columns.length
    let block = this.blocks[this.blocks.length - 1]
    if (block === undefined || block.rows === BLOCK_ROWS) {
      block = {
        values: new Float64Array(BLOCK_ROWS * width),
        outcomes: new Uint8Array(BLOCK_ROWS),
        clusters: new Int32Array(BLOCK_ROWS),
        offsets: this.hasOffsets ? new Float64Array(BLOCK_ROWS) : undefined,
        rows: 0,
      }
      this.blocks.push(block)
    }
    const row = block.rows++
    for (let column = 0; column < width; column++)
      block.values[row * width + column] = values[column] as number
    block.outcomes[row] = outcome
    block.clusters[row] = cluster
    if (block.offsets !== undefined) block.offsets[row] = offset
    this.rows++
    this.events += outcome
    this.clusters = Math.max(this.clusters, cluster + 1)
  }

  /** Centres and scales every column in place, and says how they were. A constant column keeps the scale 1. */
  standardise(): readonly ColumnRange[] {
    this.standard ??= this.columns.map((_name, column) => {
      const range = this.rangeOf(column)
      this.forColumn(column, (value) => (value - range.mean) / range.scale)
      return range
    })
    return this.standard
  }

  /** A design of one block in so many, sharing their memory. The columns are standardised already. */
  everyBlock(step: number): Design {
    const part = new Design(this.columns, this.hasOffsets)
    part.standard = this.standardise()
    part.clusters = this.clusters
    for (let index = 0; index < this.blocks.length; index += step) {
      const block = this.blocks[index] as Block
      part.blocks.push(block)
      part.rows += block.rows
      for (let row = 0; row < block.rows; row++) part.events += block.outcomes[row] as number
    }
    return part
  }

  private rangeOf(column: number): ColumnRange {
    const lowest: [number, number] = [Infinity, Infinity]
    const highest: [number, number] = [-Infinity, -Infinity]
    let sum = 0
    this.forColumn(column, (value, outcome) => {
      if (value < lowest[outcome]) lowest[outcome] = value
      if (value > highest[outcome]) highest[outcome] = value
      sum += value
      return value
    })
    const mean = sum / this.rows
    let squares = 0
    this.forColumn(column, (value) => {
      squares += (value - mean) * (value - mean)
      return value
    })
    const isConstant = Math.min(...lowest) === Math.max(...highest)
    return { mean, scale: isConstant ? 1 : Math.sqrt(squares / this.rows), lowest, highest }
  }

  private forColumn(column: number, change: (value: number, outcome: 0 | 1) => number): void {
    const width = this.columns.length
    for (const { values, outcomes, rows } of this.blocks) {
      for (let row = 0; row < rows; row++) {
        const place = row * width + column
        values[place] = change(values[place] as number, outcomes[row] as 0 | 1)
      }
    }
  }
}
