/** Turns the cells of a row into the value of one field, as the specification says. */
import type { Domain } from '../../definition/domain.ts'
import type { ColumnRuleSpecification } from './data-specification.ts'
import type { Cell, Row } from './row.ts'
import { WITH_COMMA, toNumber } from './to-number.ts'

/** A field's value: null when there is none, a Fault when the cell cannot be read. */
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
  readonly hasDecimalComma: boolean
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
  const convert = converterFor(domain, column, reading.hasDecimalComma)
  const slow = (row: Row): FieldValue | CellFault => {
    const cell = row.cell(place)
    return isMissing(cell) ? null : convert(cell as string | number | boolean)
  }
  if (!isNumber(domain) || reading.numberMayBeMissing || reading.hasDecimalComma) return slow
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
  hasDecimalComma: boolean,
): (cell: string | number | boolean) => FieldValue | CellFault {
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
    case 'list': {
      const fault = new CellFault(
        column,
        'is not a number; a text that stands for no value is listed under `missing` in `data`',
      )
      const withComma = new CellFault(
        column,
        'is not a number; where commas part the decimals, say "decimalComma": true in `data`, or --decimal-comma',
      )
      const withPoint = new CellFault(
        column,
        'has a point where commas part the decimals: 1.000 may be a thousand or one; write it without',
      )
      return (cell) => {
        if (hasDecimalComma && typeof cell === 'string' && cell.includes('.')) return withPoint
        const number = toNumber(cell)
        if (number !== undefined) return number
        if (typeof cell !== 'string' || !WITH_COMMA.test(cell)) return fault
        return hasDecimalComma ? Number(cell.replace(',', '.')) : withComma
      }
    }
    case 'yesNo': {
      const fault = new CellFault(column, 'is none of true, false, 1, 0')
      return (cell) => YES_NO.get(String(cell).toLowerCase()) ?? fault
    }
    case 'code':
    case 'date':
      return String
  }
}

const YES_NO: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
])
