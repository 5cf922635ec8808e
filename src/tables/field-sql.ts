/** How the columns of a table become fields, in SQL: the same rules for `score` and for `learn`. */
import type { Domain } from '../definition/domain.ts'
import { BadFile } from './bad-file.ts'
import {
  type CellForms,
  MARKS,
  cellFaultSql,
  dateSql,
  isOneOf,
  numberSql,
  trimmedSql,
  withoutMissing,
  yesNoSql,
} from './cell-sql.ts'
import { literal } from './engine.ts'
import type { Table, TableColumn } from './table.ts'

type Value = number | boolean | string | null

/** Where a field's value comes from, as a specification says it. */
export type FieldRule =
  | { readonly column: string; readonly map?: Readonly<Record<string, Value>> }
  | {
      readonly columns: readonly string[]
      readonly startsWith: readonly string[]
      readonly equals?: readonly string[]
      readonly yes: Value
      readonly no: Value
    }
  | { readonly constant: Value }

export interface CellReading extends CellForms {
  /** Texts that stand for no value, beside the empty one. */
  readonly missing: readonly string[]
}

export interface FieldSql {
  /** A DOUBLE, which is not finite for a cell that is not a number; of other fields a text. */
  readonly value: string
  readonly isNumber: boolean
  /** The cell that may be refused: its column, its text, and which rule refuses it. */
  readonly cell?: { readonly column: string; readonly raw: string; readonly by: 'number' | 'map' | 'yesNo' }
}

const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/
const JSON_NUMBERS = ['BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE']
const NOT_IN_MAP = 'not in the map'

export function isNumeric(domain: Domain | undefined): boolean {
  return domain === undefined || ['integer', 'decimal', 'list'].includes(domain.kind)
}

export function columnNamed({ columns }: Table, name: string): TableColumn {
  const found = columns.find((column) => column.name === name)
  if (found === undefined) throw new BadFile(`there is no column ${JSON.stringify(name)}`)
  return found
}

/** The columns that a rule reads. */
export function columnsOf(rule: FieldRule): readonly string[] {
  if ('column' in rule) return [rule.column]
  return 'columns' in rule ? rule.columns : []
}

export function fieldSql(
  table: Table,
  rule: FieldRule,
  domain: Domain | undefined,
  reading: CellReading,
): FieldSql {
  const isNumber = isNumeric(domain)
  if ('column' in rule && rule.map === undefined) {
    const column = columnNamed(table, rule.column)
    // A number that its type gives has no text, and none is made.
    const cell = {
      column: column.name,
      raw: NUMERIC.test(column.type) ? 'CAST(NULL AS VARCHAR)' : cellSql(column),
    }
    if (isNumber) {
      return { value: cellNumber(table, column, reading), isNumber, cell: { ...cell, by: 'number' } }
    }
    const value = cellText(column, domain as Domain, reading)
    return { value, isNumber, ...(domain?.kind === 'yesNo' && { cell: { ...cell, by: 'yesNo' } }) }
  }
  const text = ruleText(table, rule, reading.missing)
  const value = isNumber ? numberSql(text, { decimal: 'point' }) : text
  return { value, isNumber, ...('column' in rule && { cell: { column: rule.column, raw: text, by: 'map' } }) }
}

/** The cells of a row that are refused, and why: a column, a tab, the reason and a line feed each. */
export function faultsSql(
  fields: readonly { readonly value: string; readonly raw: string; readonly field: FieldSql }[],
  forms: CellForms,
  otherReason: string,
): string {
  const numbers: string[] = []
  const isRight: string[] = []
  const faults = fields.flatMap(({ value, raw, field: { cell, isNumber } }) => {
    if (cell === undefined) return []
    const isText = cell.by === 'map' ? `${value} <> '${NOT_IN_MAP}'` : `${value} IN ('true', 'false')`
    if (isNumber) numbers.push(value)
    else isRight.push(`coalesce(${isText}, true)`)
    const reason =
      cell.by === 'number' ? `coalesce(${cellFaultSql(raw, forms)}, ${otherReason})` : `'${cell.by}'`
    const fault = `${literal(`${cell.column}\t`)} || ${reason} || chr(10)`
    return [`CASE WHEN NOT ${isNumber ? `isfinite(${value})` : `(${isText})`} THEN ${fault} END`]
  })
  if (faults.length === 0) return 'NULL'
  // The sum of its numbers shows at once that a row is right, where none of them is missing.
  if (numbers.length > 0) isRight.push(`isfinite(${numbers.join(' + ')})`)
  return `CASE WHEN ${isRight.join(' AND ')} THEN NULL ELSE nullif(concat(${faults.join(', ')}), '') END`
}

/** A cell as text, without the spaces around it; null where it is empty. */
export function textSql({ sql, type }: TableColumn, usual: readonly string[] = []): string {
  if (type === 'VARCHAR') return `nullif(${trimmedSql(sql, usual)}, '')`
  if (type === 'DOUBLE' || type === 'FLOAT' || type.startsWith('DECIMAL')) return numberText(sql)
  if (type === 'DATE' || type.startsWith('TIMESTAMP')) return `strftime(${sql}, '%d-%m-%Y')`
  if (type !== 'JSON') return `CAST(${sql} AS VARCHAR)`
  return `CASE WHEN ${isOneOf(`json_type(${sql})`, JSON_NUMBERS)} THEN ${numberText(sql)} ELSE ${sql}->>'$' END`
}

/** A cell as text, as it is where it is a text already. */
function cellSql(column: TableColumn): string {
  return column.type === 'VARCHAR' ? column.sql : textSql(column)
}

/** As JavaScript prints it: 12 and not 12.0. */
function numberText(sql: string): string {
  return `regexp_replace(CAST(TRY_CAST(${sql} AS DOUBLE) AS VARCHAR), '[.]0$', '')`
}

function cellNumber({ marks }: Table, column: TableColumn, reading: CellReading): string {
  const { sql, type } = column
  const { missing } = reading
  if (type === 'VARCHAR') return numberSql(sql, reading, marks, missing)
  const text = textSql(column)
  const ofText = numberSql(text, reading, MARKS, missing)
  const typed = `coalesce(TRY_CAST(${sql} AS DOUBLE), CASE WHEN ${sql} IS NOT NULL THEN 'nan'::DOUBLE END)`
  const isNumber = isOneOf(`json_type(${sql})`, JSON_NUMBERS)
  const ofJson = type === 'JSON' ? `CASE WHEN ${isNumber} THEN ${typed} ELSE ${ofText} END` : ofText
  return `CASE WHEN ${isOneOf(text, missing)} THEN NULL ELSE ${NUMERIC.test(type) ? typed : ofJson} END`
}

function cellText(column: TableColumn, domain: Domain, reading: CellReading): string {
  const { missing } = reading
  const cell = cellSql(column)
  const present = withoutMissing(cell, missing)
  if (domain.kind === 'date') return dateSql(present, reading)
  if (domain.kind === 'yesNo') return yesNoSql(present)
  const codes =
    domain.kind === 'code' ? [...domain.codes.keys()].filter((code) => !missing.includes(code)) : []
  return `CASE WHEN ${isOneOf(cell, codes)} THEN ${cell} ELSE ${trimmedSql(present)} END`
}

/** A value as a cell's text. */
function cellOf(value: Value): string {
  return value === null ? 'NULL' : literal(String(value))
}

/** The text that a rule makes of the cells of its columns, with a point for decimals. */
function ruleText(table: Table, rule: FieldRule, missing: readonly string[]): string {
  if ('constant' in rule) return `CAST(${cellOf(rule.constant)} AS VARCHAR)`
  const texts = columnsOf(rule).map((name) => textSql(columnNamed(table, name)))
  if ('columns' in rule) {
    const { startsWith, equals = [], yes, no } = rule
    const isMeant = texts.flatMap((text) => [
      ...startsWith.map((start) => `starts_with(${text}, ${literal(start)})`),
      isOneOf(text, equals),
    ])
    return `CASE WHEN coalesce(${isMeant.join(' OR ')}, false) THEN ${cellOf(yes)} ELSE ${cellOf(no)} END`
  }
  const [text = ''] = texts
  const branches = Object.entries(rule.map ?? {}).map(
    ([from, to]) => `WHEN ${text} = ${literal(from)} THEN ${cellOf(to)}`,
  )
  const isMissing = `${text} IS NULL OR ${isOneOf(text, missing)}`
  // What the map does not list stays a text that no field permits.
  return `CASE ${branches.join(' ')} WHEN ${isMissing} THEN NULL ELSE '${NOT_IN_MAP}' END`
}
