/** Reads one sheet of an XLSX file. It is loaded only when a spreadsheet is opened. */
import { readSheet } from 'read-excel-file/universal'
import { lettersOf, type Cell, type TableRow, type Workbook } from './sheet.ts'
import { openWorkbook } from './xlsx-parts.ts'

/** Rows with their numbers in the spreadsheet. Empty rows are left out, and every row is as wide as the widest. */
export async function readXlsxRows(
  bytes: Uint8Array,
  chosen: string | undefined,
): Promise<{ readonly rows: readonly TableRow[]; readonly workbook: Workbook }> {
  const { workbook, forms, valueless } = openWorkbook(bytes, chosen)
  const data = await readSheet(new Blob([bytes.slice()]), workbook.sheet)
  const width = data.reduce((most, row) => Math.max(most, lastUsed(row)), 0)
  const letters = Array.from({ length: width }, (_cell, at) => lettersOf(at))
  const shownOf = (value: Cell, place: string): Cell => {
    // An error is a problem of its cell, and not a missing value.
    const instead = valueless.get(place)
    if (instead !== undefined) return instead
    return typeof value === 'number' ? (forms.get(place)?.(value) ?? value) : cellOf(value)
  }
  const rows = data
    .map((row, index) => ({
      line: index + 1,
      cells: letters.map((letter, column) => shownOf(row[column], `${letter}${index + 1}`)),
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
