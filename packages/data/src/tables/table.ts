/** A file with columns as a source of rows for the engine. */

export interface TableColumn {
  readonly name: string
  /** The column in the query, quoted. */
  readonly sql: string
  /** DuckDB's name of its type. */
  readonly type: string
}

export interface Table {
  readonly columns: readonly TableColumn[]
  /** The text after FROM. */
  readonly from: string
  /** Whether every cell is a text that stands for any value, as in CSV. */
  readonly isText: boolean
  /** A condition that holds in a row which cannot be read; undefined where every row can. */
  readonly refused: string | undefined
  readonly faults: readonly { readonly line: number; readonly reason: 'tooManyCells' | 'tooFewCells' }[]
  readonly faultCount: number
  readonly encoding: string
  /** What separates the cells of CSV. */
  readonly delimiter?: string
  /** Those of `MARKS` that some cell of text may have. */
  readonly marks: ReadonlySet<string>
  /** Whether its rows are those of several files, one after the other. */
  readonly isJoined?: boolean
  /** The line of a row, from 1; of a file without lines, the number of the row. Rows are counted from 0. */
  lineOf(row: number): number
}

/** Of a row in joined files: its file, and its place there, both counted from 0. The engine knows these names. */
export const FILE_PLACE = { file: 'file_index', row: 'file_row_number' } as const

export function rowReason(reason: Table['faults'][number]['reason']): string {
  return `the row has ${reason === 'tooManyCells' ? 'more' : 'fewer'} cells than the header`
}
