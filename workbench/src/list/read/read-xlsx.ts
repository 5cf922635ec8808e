/** Reads the first sheet of an XLSX file. It is loaded only when a spreadsheet is opened. */
import { readSheet } from 'read-excel-file/universal'
import type { Cell } from './sheet.ts'

export interface XlsxRow {
  readonly line: number
  readonly cells: readonly Cell[]
}

/** Rows with their numbers in the spreadsheet. Empty rows are left out, and every row is as wide as the widest. */
export async function readXlsxRows(bytes: Uint8Array): Promise<readonly XlsxRow[]> {
  const data = await readSheet(new Blob([bytes.slice()]))
  const width = Math.max(0, ...data.map(lastUsed))
  return data
    .map((row, index) => ({
      line: index + 1,
      cells: Array.from({ length: width }, (_cell, column) => cellOf(row[column])),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== undefined))
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
