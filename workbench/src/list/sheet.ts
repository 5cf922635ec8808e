/** A list as it was read: columns with names, and rows of cells. */
import type { Delimiter } from './csv.ts'

export type Cell = string | number | boolean | null | undefined | object

export interface Sheet {
  readonly name: string
  readonly kind: 'csv' | 'json' | 'ndjson'
  /** The sign between columns, also for what is written from this sheet. */
  readonly delimiter: Delimiter
  readonly columns: readonly string[]
  /** Cells may be put right in place. */
  readonly rows: Cell[][]
  /** Rows that had more cells than there are columns. */
  readonly ragged: number
  /** What stands in a list of JSON where a record should be, by row. */
  readonly strays: Map<number, unknown>
  /** Names that a record of JSON gives twice, by row. */
  readonly repeated: Map<number, Set<string>>
}

/** Why a text is no sheet, with the line where there is one. */
export class SheetFault extends Error {
  override readonly name = 'SheetFault'
  readonly reason: 'empty' | 'json' | 'notRecords' | 'noRows'
  readonly line: number | undefined

  constructor(reason: SheetFault['reason'], line?: number) {
    super(reason)
    this.reason = reason
    this.line = line
  }
}
