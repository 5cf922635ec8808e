/** One row of a table: where it stands, and its cells in the order of the wanted columns. */

/** A cell as its file writes it; undefined and null when there is none. */
export type Cell = string | number | boolean | null | undefined

export interface Row {
  /** The line of the file, from 1; for a file without lines the number of the row. */
  readonly line: number
  readonly cells: readonly Cell[]
}
