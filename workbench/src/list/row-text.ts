/** A row as the JSON that is sent: also what is no record, and a name that its file gives twice, so that the service judges it. */
import type { Field, Value } from '../shapes/fields.ts'
import { convertCell } from './convert-cell.ts'
import { IDENTIFIER, NOT_USED, type Match } from './match-columns.ts'
import type { Sheet } from './sheet.ts'

/** The columns that are sent, with the fields they mean. */
export interface SentColumn {
  readonly column: number
  readonly field: Field
}

export function sentColumns(matches: readonly Match[], fields: readonly Field[]): readonly SentColumn[] {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return matches.flatMap((match, column) => {
    const field = match === NOT_USED || match === IDENTIFIER ? undefined : byName.get(match)
    return field === undefined ? [] : [{ column, field }]
  })
}

/** A row as the record that is sent. Its idx is its place in the list, so that no two are the same. */
export function recordOfRow(
  sheet: Sheet,
  row: number,
  columns: readonly SentColumn[],
): Readonly<Record<string, Value | object>> {
  const record: Record<string, Value | object> = { idx: row + 1 }
  const cells = sheet.rows[row] ?? []
  const hasDecimalComma = sheet.delimiter === ';'
  for (const { column, field } of columns) {
    const value = convertCell(field, cells[column], hasDecimalComma)
    if (value !== undefined) record[field.name] = value
  }
  return record
}

export function rowText(sheet: Sheet, row: number, columns: readonly SentColumn[]): string {
  if (sheet.strays.has(row)) return JSON.stringify(sheet.strays.get(row))
  const record = recordOfRow(sheet, row, columns)
  const text = JSON.stringify(record)
  const repeated = sheet.repeated.get(row)
  if (repeated === undefined) return text
  const again = columns
    .filter(({ column, field }) => repeated.has(sheet.columns[column] ?? '') && field.name in record)
    .map(({ field }) => `,${JSON.stringify(field.name)}:${JSON.stringify(record[field.name])}`)
  return `${text.slice(0, -1)}${again.join('')}}`
}
