/** A row as the JSON that is sent. What is not a record, and a name that its file gives twice, are sent too: the service judges them. */
import type { Field, Value } from '../../shapes/fields.ts'
import { sentCode } from '../../shapes/sent-code.ts'
import { cellText, convertCell, PLAIN_READING, saidOf, type Reading } from '../match/convert-cell.ts'
import { inOwnUnit } from '../../patient/form/read-input.ts'
import { IDENTIFIER, NOT_USED, type Match } from '../match/match-columns.ts'
import { inOwnMeasure } from '../match/stated-measure.ts'
import type { Cell, Sheet } from '../read/sheet.ts'

/** A column that is sent, the field that it holds, and how its cells are read. */
export interface SentColumn {
  readonly column: number
  readonly field: Field
  readonly reading: Reading
}

export function sentColumns(
  { matches, readings }: { readonly matches: readonly Match[]; readonly readings: readonly Reading[] },
  fields: readonly Field[],
): readonly SentColumn[] {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return matches.flatMap((match, column) => {
    const field = match === NOT_USED || match === IDENTIFIER ? undefined : byName.get(match)
    return field === undefined ? [] : [{ column, field, reading: readings[column] ?? PLAIN_READING }]
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
  for (const sent of columns) {
    const value = valueOf(sheet, cells[sent.column], sent)
    if (value !== undefined) record[sent.field.name] = value
  }
  return record
}

/** JSON has types of its own, so its values are sent as they are. Text that is not a value is sent too, and refused. */
export function valueOf(
  sheet: Sheet,
  cell: Cell,
  { field, reading }: SentColumn,
): Value | object | undefined {
  const value = readCell(sheet, cell, { field, reading })
  return typeof value === 'number'
    ? inOwnUnit(field, inOwnMeasure(field, value, reading.measure), reading.unit)
    : value
}

function readCell(
  sheet: Sheet,
  cell: Cell,
  { field, reading }: Omit<SentColumn, 'column'>,
): Value | object | undefined {
  if (sheet.kind === 'json' || sheet.kind === 'ndjson') {
    const meant = typeof cell === 'string' ? saidOf(reading, cell) : undefined
    return meant === undefined ? (cell ?? undefined) : sentCode(field, meant)
  }
  const converted = convertCell(field, cell, reading)
  return 'value' in converted ? converted.value : cellText(cell)
}

export function rowText(sheet: Sheet, row: number, columns: readonly SentColumn[]): string {
  if (sheet.nonRecords.has(row)) return JSON.stringify(sheet.nonRecords.get(row))
  const record = recordOfRow(sheet, row, columns)
  const text = JSON.stringify(record)
  const repeated = sheet.repeated.get(row)
  if (repeated === undefined) return text
  const again = columns
    .filter(({ column, field }) => repeated.has(sheet.columns[column] ?? '') && field.name in record)
    .map(({ field }) => `,${JSON.stringify(field.name)}:${JSON.stringify(record[field.name])}`)
  return `${text.slice(0, -1)}${again.join('')}}`
}
