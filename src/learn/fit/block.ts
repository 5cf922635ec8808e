/** Some thousand rows of a regression in memory. */
export interface Block {
  /** Row by row. */
  readonly values: Float64Array
  readonly outcomes: Uint8Array
  readonly clusters: Int32Array
  /** What is added to the linear predictor of each row, not estimated. */
  readonly offsets: Float64Array | undefined
  /** How much each row counts; without them every row counts once. */
  readonly weights: Float64Array | undefined
  rows: number
}
