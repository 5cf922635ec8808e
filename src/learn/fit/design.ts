/**
 * The rows of a regression: one number a column, the outcome, and the patient. Kept in blocks of numbers,
 * so that memory grows with the data and no block is ever copied. Columns are centred and scaled once,
 * which keeps the equations well conditioned; estimates are turned back to the columns as they were.
 */
import type { Block } from './block.ts'
import { type ColumnRange, rangesOf } from './column-range.ts'

const BLOCK_ROWS = 16_384

export class Design {
  readonly columns: readonly string[]
  readonly blocks: Block[] = []
  rows = 0
  events = 0
  /** One more than the highest cluster. */
  clusters = 0
  private readonly with: { readonly offsets?: boolean; readonly weights?: boolean }
  private standard: readonly ColumnRange[] | undefined

  constructor(columns: readonly string[], including: Design['with'] = {}) {
    this.columns = columns
    this.with = including
  }

  add(values: ArrayLike<number>, outcome: 0 | 1, cluster: number, offset = 0, weight = 1): void {
    const width = this.columns.length
    let block = this.blocks[this.blocks.length - 1]
    if (block === undefined || block.rows === BLOCK_ROWS) {
      block = {
        values: new Float64Array(BLOCK_ROWS * width),
        outcomes: new Uint8Array(BLOCK_ROWS),
        clusters: new Int32Array(BLOCK_ROWS),
        offsets: this.with.offsets === true ? new Float64Array(BLOCK_ROWS) : undefined,
        weights: this.with.weights === true ? new Float64Array(BLOCK_ROWS) : undefined,
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
    if (block.weights !== undefined) block.weights[row] = weight
    this.rows++
    this.events += outcome
    this.clusters = Math.max(this.clusters, cluster + 1)
  }

  /** Centres and scales every column in place, and says how they were. A constant column keeps the scale 1. */
  standardise(): readonly ColumnRange[] {
    if (this.standard !== undefined) return this.standard
    const ranges = rangesOf(this.blocks, this.columns.length, this.rows)
    const width = ranges.length
    for (const { values, rows } of this.blocks) {
      for (let place = 0, column = 0; place < rows * width; place++) {
        const { mean, scale } = ranges[column] as ColumnRange
        values[place] = ((values[place] as number) - mean) / scale
        if (++column === width) column = 0
      }
    }
    this.standard = ranges
    return ranges
  }

  /** A design of one block in so many, sharing their memory. The columns are standardised already. */
  everyBlock(step: number): Design {
    const part = new Design(this.columns, this.with)
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

  /** The rows for which the condition holds, as a design of its own whose columns are the standardised ones of this one. */
  select(holds: (row: number) => boolean): Design {
    this.standardise()
    const width = this.columns.length
    const part = new Design(this.columns, this.with)
    let place = 0
    for (const { values, outcomes, clusters, offsets, weights, rows } of this.blocks) {
      for (let row = 0; row < rows; row++) {
        if (!holds(place++)) continue
        const own = values.subarray(row * width, (row + 1) * width)
        part.add(own, outcomes[row] as 0 | 1, clusters[row] as number, offsets?.[row], weights?.[row])
      }
    }
    return part
  }
}
