/** Turns the cells of a row into the value of one field, as the specification says. */
import type { Domain } from '../../definition/domain.ts'
import { type CellForms, readDate, readNumber, readYesNo } from '../../tables/read-cell.ts'
import type { ColumnRuleSpecification } from '../specification.ts'
import type { Cell, Row } from './row.ts'

/** A field's value: null if the cell is empty. */
export type FieldValue = number | string | boolean | null

/** Why a cell cannot be read; the value itself is never part of it. */
export interface CellFault {
  readonly column: string
  readonly reason: string
}

export type ColumnReader = (row: Row) => FieldValue | CellFault

/** How the cells of a file are to be understood, whichever field they are for. */
export interface Reading {
  readonly placeOf: (column: string) => number
  readonly isMissing: (cell: Cell) => boolean
  /** Whether a text that stands for no value could be taken for a number. */
  readonly numberMayBeMissing: boolean
  readonly decimal: CellForms['decimal']
}

/** The columns that a rule reads. */
export function columnsOf(rule: ColumnRuleSpecification): readonly string[] {
  if ('column' in rule) return [rule.column]
  return 'columns' in rule ? rule.columns : []
}

export function isNumeric(domain: Domain | undefined): boolean {
  return domain?.kind === 'integer' || domain?.kind === 'decimal' || domain?.kind === 'list'
}

export function compileRule(rule: ColumnRuleSpecification, domain: Domain, reading: Reading): ColumnReader {
  const { placeOf, isMissing } = reading
  if ('constant' in rule) return () => rule.constant
  if ('columns' in rule) {
    const places = rule.columns.map(placeOf)
    const { startsWith, equals = [] } = rule
    const isMeant = (code: string): boolean =>
      equals.includes(code) || startsWith.some((start) => code.startsWith(start))
    return (row) => (places.some((place) => isMeant(String(row.cell(place) ?? ''))) ? rule.yes : rule.no)
  }
  const { column, map } = rule
  const place = placeOf(column)
  const convert = converterFor(domain, column, reading.decimal)
  const values = map === undefined ? undefined : new Map(Object.entries(map))
  const unlisted = { column, reason: 'has a value that `map` does not list' }
  const read = (row: Row): FieldValue | CellFault => {
    const cell = row.cell(place)
    const value = values?.get(String(cell))
    if (value !== undefined) return value
    if (isMissing(cell)) return null
    return values === undefined ? convert(cell as string | number | boolean) : unlisted
  }
  if (values !== undefined || !isNumeric(domain) || reading.numberMayBeMissing) return read
  // Most cells are plain numbers, and need no text to be made of them.
  return (row) => {
    const number = row.number(place)
    return Number.isFinite(number) ? number : read(row)
  }
}

const NOT_READ = {
  notANumber:
    'is not a number; list a text that stands for no value under `missing` in `data`; where a comma marks the decimals, say "decimalComma": true in `data`, or --decimal-comma',
  ambiguous: 'may be one or a thousand, as 1.000 may: say "decimalComma": true or false in `data`',
  tooManyDigits: 'has too many digits to be kept exactly',
}

function converterFor(
  domain: Domain,
  column: string,
  decimal: CellForms['decimal'],
): (cell: string | number | boolean) => FieldValue | CellFault {
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
    case 'list':
      return (cell) => {
        const value = typeof cell === 'string' ? readNumber(cell, { decimal }) : cell
        if (typeof value === 'number' && Number.isFinite(value)) return value
        return { column, reason: NOT_READ[typeof value === 'string' ? value : 'notANumber'] }
      }
    case 'yesNo':
      return (cell) => {
        const value = typeof cell === 'boolean' ? cell : readYesNo(String(cell))
        return value ?? { column, reason: 'must be true, false, yes, no, 1 or 0' }
      }
    case 'date':
      return (cell) => readDate(String(cell), {}) ?? String(cell)
    case 'code':
      return String
  }
}
