/** Tables with named columns, CSV and Parquet, become records a line each. */
import { type CellKind, cellJson } from './cell.ts'

export interface Column {
  /** Our name of the field. */
  readonly name: string
  readonly kind: CellKind
  readonly isDate: boolean
}

export interface Lines {
  readonly text: string
  /** For each record the JSON texts of its kept columns. */
  readonly kept: readonly (readonly (string | undefined)[])[]
}

export interface TableShape {
  readonly columns: readonly Column[]
  /** Places of the kept columns. */
  readonly keep: readonly number[]
  /** Whether no column is the idx, so that the row's number is. */
  readonly isNumbered: boolean
  readonly hasDecimalComma: boolean
}

type Print = (value: unknown, column: Column, hasDecimalComma: boolean) => string | undefined

export function linesOfRows(
  rows: readonly (readonly unknown[])[],
  first: number,
  shape: TableShape,
  print: Print,
): Lines {
  const { columns, keep, isNumbered, hasDecimalComma } = shape
  const names = columns.map(({ name }) => `${JSON.stringify(name)}:`)
  const lines = rows.map((row, index) => {
    const parts = isNumbered ? [`"idx":${first + index + 1}`] : []
    columns.forEach((column, place) => {
      const value = print(row[place], column, hasDecimalComma)
      if (value !== undefined) parts.push((names[place] ?? '') + value)
    })
    return `{${parts.join(',')}}\n`
  })
  const kept = rows.map((row) => keep.map((place) => keptJson(row[place])))
  return { text: lines.join(''), kept: keep.length === 0 ? [] : kept }
}

export function printCsvCell(value: unknown, { kind }: Column, hasDecimalComma: boolean): string | undefined {
  return cellJson(value as string, kind, hasDecimalComma)
}

/** Parquet has types of its own: they are kept, and only written as JSON can. */
export function printTyped(value: unknown, { isDate }: Column): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return printNumber(value)
  if (value instanceof Date) return JSON.stringify(isDate ? dayOf(value) : value.toISOString())
  return JSON.stringify(value, (_key, nested: unknown) =>
    typeof nested === 'bigint' ? Number(nested) : nested,
  )
}

function printNumber(value: number): string {
  if (Number.isFinite(value)) return String(value)
  // Beyond every range, and no number at all: the field's own problem, never an absent value.
  return Number.isNaN(value) ? '"NaN"' : value > 0 ? '1e400' : '-1e400'
}

function dayOf(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${two(date.getUTCDate())}-${two(date.getUTCMonth() + 1)}-${String(date.getUTCFullYear()).padStart(4, '0')}`
}

function keptJson(value: unknown): string | undefined {
  return typeof value === 'string' ? JSON.stringify(value) : printTyped(value, ANY)
}

const ANY: Column = { name: '', kind: 'text', isDate: false }
