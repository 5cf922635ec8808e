/** Turns the cells of a row into the value of one field, as the specification says. */
import type { Domain } from '../../definition/domain.ts'
import type { ColumnRuleSpecification } from './data-specification.ts'
import type { Cell } from './row.ts'

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
  read(cells: readonly Cell[]): FieldValue | CellFault
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
  placeOf: (column: string) => number,
  isMissing: (cell: Cell) => boolean,
): ColumnReader {
  if ('constant' in rule) return { field, read: () => rule.constant }
  if ('columns' in rule) {
    const places = rule.columns.map(placeOf)
    const { startsWith, equals = [] } = rule
    const isMeant = (code: string): boolean =>
      equals.includes(code) || startsWith.some((start) => code.startsWith(start))
    return {
      field,
      read: (cells) => (places.some((place) => isMeant(String(cells[place] ?? ''))) ? rule.yes : rule.no),
    }
  }
  const place = placeOf(rule.column)
  const { column, map } = rule
  if (map === undefined) {
    const convert = converterFor(domain, column)
    return {
      field,
      read(cells) {
        const cell = cells[place]
        return isMissing(cell) ? null : convert(cell as string | number | boolean)
      },
    }
  }
  const values = new Map(Object.entries(map))
  const unlisted = new CellFault(column, 'has a value that `map` does not list')
  return {
    field,
    read(cells) {
      const cell = cells[place]
      const value = values.get(String(cell))
      if (value !== undefined) return value
      return isMissing(cell) ? null : unlisted
    },
  }
}

function converterFor(
  domain: Domain,
  column: string,
): (cell: string | number | boolean) => FieldValue | CellFault {
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
    case 'list': {
      const fault = new CellFault(column, 'is not a number')
      return (cell) => toNumber(cell) ?? fault
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

/** JavaScript reads 0x10 as sixteen; a table does not mean it so. */
const OTHER_BASE = /^\s*[+-]?0[xob]/i

export function toNumber(cell: string | number | boolean): number | undefined {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : undefined
  if (typeof cell === 'boolean' || cell.trim() === '') return undefined
  const value = Number(cell)
  if (!Number.isFinite(value)) return undefined
  const first = cell.charCodeAt(0)
  // Only a text that starts with 0, a sign or a space can be written in another base.
  return first > 48 && first < 58 ? value : OTHER_BASE.test(cell) ? undefined : value
}
