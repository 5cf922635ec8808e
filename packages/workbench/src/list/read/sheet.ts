/** A list as it was read: named columns, and rows of cells. */
import type { Cell, Workbook } from '@patient-risk/data/spreadsheets'

export type { Cell, TableRow, Workbook } from '@patient-risk/data/spreadsheets'

export type Delimiter = ',' | ';' | '\t' | '|'
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
/** Why a row is not scored: its number of cells differs from the header, so its cells may be shifted. */
export interface RowFault {
  readonly reason: 'tooManyCells' | 'tooFewCells'
  readonly cells: readonly string[]
}

/** What the reader says about a file; the page decides where it is left out. */
export interface ReadOptions {
  readonly headerLine?: number | undefined
  readonly delimiter?: Delimiter
  readonly encoding?: Encoding
  /** The name of a sheet. */
  readonly sheet?: string
  /** Whether hidden rows of a spreadsheet are left out. */
  readonly isWithoutHidden?: boolean
}

export interface Sheet {
  readonly name: string
  /** What the reader said about the file. */
  readonly options?: ReadOptions
  readonly workbook?: Workbook
  readonly kind: 'csv' | 'xlsx' | 'json' | 'ndjson'
  /** The separator of the file. Exports use it too. */
  readonly delimiter: Delimiter
  readonly encoding?: Encoding
  /** The line of the header; 0 where a file has none. */
  readonly headerLine: number
  readonly columns: readonly string[]
  /** Cells are corrected in place. The cells of a rejected row are empty here. */
  readonly rows: Cell[][]
  /** The line of the file that each row starts on; empty for JSON. */
  readonly lines: readonly number[]
  /** Rows that are not scored. */
  readonly rejected: ReadonlyMap<number, RowFault>
  /** Elements of a JSON list that are not records, by row. */
  readonly nonRecords: Map<number, unknown>
  /** Names that a JSON record gives twice, by row. */
  readonly repeated: Map<number, Set<string>>
  /** The text that a corrected cell had in the file, by row and column. */
  readonly corrected: Map<number, Map<number, string>>
}

/** The letters of a column: A for 0, AB for 27. */
export function lettersOf(column: number): string {
  const before = column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)
  return `${before}${String.fromCharCode(65 + (column % 26))}`
}

/** Why a file is not a sheet, with the line where there is one. */
export class SheetFault extends Error {
  override readonly name = 'SheetFault'
  readonly reason:
    | 'empty'
    | 'json'
    | 'notRecords'
    | 'noRows'
    | 'unclosedQuote'
    | 'textAfterQuote'
    | 'repeatedColumn'
    | 'xlsx'
    | 'xlsxTooLarge'
    | 'xls'
    | 'html'
    | 'binary'
  readonly line: number | undefined
  /** How it was read, and the sheet in question with its neighbours. */
  options: ReadOptions = {}
  workbook: Workbook | undefined

  constructor(reason: SheetFault['reason'], line?: number) {
    super(reason)
    this.reason = reason
    this.line = line
  }
}
