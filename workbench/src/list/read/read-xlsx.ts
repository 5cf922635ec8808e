/** Reads one sheet of an XLSX file. It is loaded only when a spreadsheet is opened. */
import { readSheet } from 'read-excel-file/universal'
import type { Cell, Workbook } from './sheet.ts'
import { XlsxParts } from './xlsx-parts.ts'

export interface XlsxRow {
  readonly line: number
  readonly cells: readonly Cell[]
}

/** The sheets of a file. A hidden one is not the one to read unless it is chosen, or there is no other. */
export function openXlsx(bytes: Uint8Array, chosen: string | undefined): { parts: XlsxParts; sheet: string } {
  const parts = new XlsxParts(bytes)
  const { sheets } = parts
  const found = sheets.find(({ name }) => name === chosen) ?? sheets.find(({ isHidden }) => !isHidden)
  return { parts, sheet: (found ?? sheets[0])?.name ?? '' }
}

/** Rows with their numbers in the spreadsheet. Empty rows are left out, and every row is as wide as the widest. */
export async function readXlsxRows(
  bytes: Uint8Array,
  { parts, sheet }: ReturnType<typeof openXlsx>,
): Promise<{ readonly rows: readonly XlsxRow[]; readonly workbook: Workbook }> {
  const data = await readSheet(new Blob([bytes.slice()]), sheet)
  const { hiddenLines, merged, shown } = parts.layoutOf(sheet)
  const width = Math.max(0, ...data.map(lastUsed))
  const letters = Array.from({ length: width }, (_cell, column) => lettersOf(column))
  const asShown = (value: Cell, line: number, column: number): Cell => {
    const form = shown.size === 0 ? undefined : shown.get(`${letters[column] ?? ''}${line}`)
    return typeof value === 'number' && form !== undefined ? form(value) : cellOf(value)
  }
  const rows = data
    .map((row, index) => ({
      line: index + 1,
      cells: letters.map((_letter, column) => asShown(row[column], index + 1, column)),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== undefined))
  const used = new Set(rows.map(({ line }) => line))
  const hidden = hiddenLines.filter((line) => used.has(line))
  return { rows, workbook: { sheet, sheets: parts.sheets, hiddenLines: hidden, merged } }
}

function lastUsed(row: readonly unknown[]): number {
  return row.findLastIndex((cell) => cell !== null && cell !== undefined && cell !== '') + 1
}

/** The letters of a column: A for 0, AB for 27. */
function lettersOf(column: number): string {
  const before = column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)
  return `${before}${String.fromCharCode(65 + (column % 26))}`
}

/** Dates come as midnight UTC and leave as ISO dates. */
function cellOf(value: Cell): Cell {
  if (value === null || value === undefined || value === '') return undefined
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  return typeof value === 'string' ? value.trim() : value
}
