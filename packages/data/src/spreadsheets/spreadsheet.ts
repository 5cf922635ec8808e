/** A sheet of a spreadsheet as it was read. */

export type Cell = string | number | boolean | null | undefined | object

export interface TableRow {
  /** The line that the row starts on, counted from 1. */
  readonly line: number
  readonly cells: readonly Cell[]
}

/** A sheet of a spreadsheet, its neighbours, and what people see of it in a spreadsheet program. */
export interface Workbook {
  readonly sheet: string
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean }[]
  /** Rows that are hidden or filtered out. */
  readonly hiddenLines: readonly number[]
  /** Areas of merged cells, such as `C3:C4`. */
  readonly merged: readonly string[]
  /** Whether its days are counted from 1904. */
  readonly is1904?: boolean
}

/** Why a spreadsheet is not read. */
export class SpreadsheetFault extends Error {
  override readonly name = 'SpreadsheetFault'
  readonly reason: 'damaged' | 'tooLarge'

  constructor(reason: SpreadsheetFault['reason']) {
    super(reason)
    this.reason = reason
  }
}
