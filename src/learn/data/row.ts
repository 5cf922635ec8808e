/** One row of a table, whatever file it comes from. Cells are read by their place among the wanted columns. */
import { DataError } from './data-error.ts'

/** A cell as its file writes it; undefined or null if the cell is empty. */
export type Cell = string | number | boolean | null | undefined

/** The same object for every row: what it says holds until the next one. */
export interface Row {
  /** The line of the file, from 1; for a file without lines the number of the row. */
  readonly line: number
  cell(place: number): Cell
  /** The number of a cell, as `Wanted.numbers` says; NaN for every other cell. */
  number(place: number): number
}

/** The columns to read, and how. */
export interface Wanted {
  readonly columns: readonly string[]
  /**
   * Columns whose cells are asked for only where `number` gives none. A cell is either plainly a number, or one of these
   * texts: then its number is the place of the text.
   */
  readonly numbers: ReadonlyMap<string, readonly string[] | undefined>
  readonly decimal: 'point' | 'comma' | undefined
}

/** Reports how far a long piece of work has come. */
export type OnProgress = (done: number, of: number) => void

/** Visits the rows of a file. */
export type TableReader = (
  path: string,
  wanted: Wanted,
  visit: (row: Row) => void,
  onProgress: OnProgress,
) => Promise<void>

/** Where the wanted columns stand in a file. Each must be there, and once. */
export function placesOf(
  path: string,
  wanted: readonly string[],
  known: readonly string[],
): readonly number[] {
  const countOf = (column: string): number => known.filter((name) => name === column).length
  const lost = wanted.filter((column) => countOf(column) === 0)
  const faults = wanted
    .filter((column) => countOf(column) > 1)
    .map((column) => `there are ${countOf(column)} columns called ${column}; rename or remove the others`)
  if (lost.length > 0) {
    faults.unshift(
      `there is no column ${lost.join(', ')}; there are ${known.join(', ')}. A specification says which column gives which field`,
    )
  }
  if (faults.length > 0) throw new DataError(faults.map((fault) => `${path}: ${fault}`))
  return wanted.map((column) => known.indexOf(column))
}
