/** One row of a table, whatever file it comes from. Cells are read by their place among the wanted columns. */

/** A cell as its file writes it; undefined or null if the cell is empty. */
export type Cell = string | number | boolean | null | undefined

/** The same object for every row: what it says holds until the next one. */
export interface Row {
  /** The line of the file, from 1; for a file without lines the number of the row. */
  readonly line: number
  cell(place: number): Cell
  /** The cell where it is plainly a number; NaN for every other cell. */
  number(place: number): number
}

/** The columns to read, and how. */
export interface Wanted {
  readonly columns: readonly string[]
  /** Those of them that are read as numbers. */
  readonly numbers: ReadonlySet<string>
  /** Texts that stand for no value. */
  readonly missing: readonly string[]
  readonly decimal: 'point' | 'comma' | undefined
}

export type Visit = (row: Row) => void

/** Tells how far a long piece of work has come. */
export type OnProgress = (done: number, of: number) => void
