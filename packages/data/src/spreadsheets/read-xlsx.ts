/** Reads one sheet of an XLSX file. It is loaded only when a spreadsheet is opened. */
import { readSheet } from 'read-excel-file/universal'
import { type Cell, SpreadsheetFault, type TableRow, type Workbook } from './spreadsheet.ts'
import { openWorkbook, placeOf } from './xlsx-parts.ts'

interface SheetRows {
  readonly rows: readonly TableRow[]
  readonly workbook: Workbook
}

/**
 * Rows with their numbers in the spreadsheet. Empty rows are left out, and every row is as wide as the widest. The first sheet that is
 * not hidden is read, unless another is chosen. Throws a SpreadsheetFault.
 */
export async function readXlsxRows(bytes: Uint8Array, chosen?: string): Promise<SheetRows> {
  try {
    return await sheetRows(bytes, chosen)
  } catch (error) {
    throw error instanceof SpreadsheetFault ? error : new SpreadsheetFault('damaged')
  }
}

async function sheetRows(bytes: Uint8Array, chosen: string | undefined): Promise<SheetRows> {
  const { workbook, forms, valueless } = openWorkbook(bytes, chosen)
  const data = await readSheet(new Blob([bytes.slice()]), workbook.sheet)
  const width = data.reduce((most, row) => Math.max(most, lastUsed(row)), 0)
  const shownOf = (value: Cell, place: string): Cell => {
    // An error is a problem of its cell, and not a missing value.
    const instead = valueless.get(place)
    if (instead !== undefined) return instead
    return typeof value === 'number' ? (forms.get(place)?.(value) ?? value) : cellOf(value)
  }
  const rows = data
    .map((row, index) => ({
      line: index + 1,
      cells: Array.from({ length: width }, (_cell, at) => shownOf(row[at], placeOf(index + 1, at + 1))),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== undefined))
  const used = new Set(rows.map(({ line }) => line))
  const hiddenLines = workbook.hiddenLines.filter((line) => used.has(line))
  return { rows, workbook: { ...workbook, hiddenLines } }
}

function lastUsed(row: readonly unknown[]): number {
  return row.findLastIndex((cell) => cell !== null && cell !== undefined && cell !== '') + 1
}

/** Dates come as midnight UTC and leave as ISO dates. */
function cellOf(value: Cell): Cell {
  if (value === null || value === undefined || value === '') return undefined
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  return typeof value === 'string' ? value.trim() : value
}
