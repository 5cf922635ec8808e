/** Turns the cells of a row into the value of one field, as the specification says. */
import type { Domain } from '../../definition/domain.ts'
import { type CellForms, readDate, readNumber, readYesNo } from '../../tables/read-cell.ts'
import type { ColumnRuleSpecification } from './data-specification.ts'
import type { Cell, Row } from './row.ts'

/** A field's value: null if the cell is empty, a Fault when the cell cannot be read. */
export type FieldValue = number | string | boolean | null

/** Why a cell cannot be read; the value itself is never part of it. */
export class CellFault {
  readonly column: string
  readonly reason: string

  constructor(column: string, reason: string) {
    this.column = column
    this.reason = reason
  }
}

export interface ColumnReader {
  readonly field: string
  read(row: Row): FieldValue | CellFault
}

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

export function compileRule(
  field: string,
  rule: ColumnRuleSpecification,
  domain: Domain,
  reading: Reading,
): ColumnReader {
  if ('constant' in rule) return { field, read: () => rule.constant }
  if ('columns' in rule) {
    const places = rule.columns.map(reading.placeOf)
    const { startsWith, equals = [] } = rule
    const isMeant = (code: string): boolean =>
      equals.includes(code) || startsWith.some((start) => code.startsWith(start))
    return {
      field,
      read: (row) => (places.some((place) => isMeant(String(row.cell(place) ?? ''))) ? rule.yes : rule.no),
    }
  }
  const place = reading.placeOf(rule.column)
  const { column, map } = rule
  if (map === undefined) return { field, read: cellReader(domain, column, place, reading) }
  const values = new Map(Object.entries(map))
  const unlisted = new CellFault(column, 'has a value that `map` does not list')
  return {
    field,
    read(row) {
      const cell = row.cell(place)
      const value = values.get(String(cell))
      if (value !== undefined) return value
      return reading.isMissing(cell) ? null : unlisted
    },
  }
}

function cellReader(
  domain: Domain,
  column: string,
  place: number,
  reading: Reading,
): (row: Row) => FieldValue | CellFault {
  const { isMissing } = reading
  const convert = converterFor(domain, column, reading)
  const slow = (row: Row): FieldValue | CellFault => {
    const cell = row.cell(place)
    return isMissing(cell) ? null : convert(cell as string | number | boolean)
  }
  if (!isNumber(domain) || reading.numberMayBeMissing) return slow
  // Most cells are plain numbers, and need no text to be made of them.
  return (row) => {
    const number = row.number(place)
    return Number.isFinite(number) ? number : slow(row)
  }
}

function isNumber({ kind }: Domain): boolean {
  return kind === 'integer' || kind === 'decimal' || kind === 'list'
}

function converterFor(
  domain: Domain,
  column: string,
  { decimal }: Reading,
): (cell: string | number | boolean) => FieldValue | CellFault {
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
    case 'list': {
      const faults = {
        notANumber: new CellFault(
          column,
          'is not a number; list a text that stands for no value under `missing` in `data`; where a comma marks the decimals, say "decimalComma": true in `data`, or --decimal-comma',
        ),
        ambiguous: new CellFault(
          column,
          'may be one or a thousand, as 1.000 may: say "decimalComma": true or false in `data`',
        ),
        tooManyDigits: new CellFault(column, 'has too many digits to be kept exactly'),
      }
      return (cell) => {
        if (typeof cell === 'number') return Number.isFinite(cell) ? cell : faults.notANumber
        const value = typeof cell === 'boolean' ? 'notANumber' : readNumber(cell, { decimal })
        return typeof value === 'number' ? value : faults[value]
      }
    }
    case 'yesNo': {
      const fault = new CellFault(column, 'is none of true, false, yes, no, 1, 0')
      return (cell) => (typeof cell === 'boolean' ? cell : (readYesNo(String(cell)) ?? fault))
    }
    case 'date':
      return (cell) => readDate(String(cell), {}) ?? String(cell)
    case 'code':
      return String
  }
}
