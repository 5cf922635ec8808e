/** How the columns of a table become fields, in SQL: the same rules for `score` and for `learn`. */
import type { Domain } from 'patient-risk-engine/definition'
import { BadFile } from './bad-file.ts'
import {
  type CellForms,
  MARKS,
  cellFaultSql,
  codedSql,
  dateSql,
  isOneOf,
  numberSql,
  trimmedSql,
  yesNoSql,
} from './cell-sql.ts'
import { literal } from './engine.ts'
import type { Table, TableColumn } from './table.ts'

/** A value as a specification writes it. */
export type Value = number | boolean | string | null

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

export interface CellOptions extends CellForms {
  /** Texts that mean "no value", in addition to the empty one; also for typed numbers, dates and yes or no. */
  readonly missing: readonly string[]
  /** The codes of the sender that the deployment names for this field; empty where it names none. */
  readonly codes?: readonly string[]
}

export interface FieldSql {
  /** A DOUBLE, which is NaN for a cell that is not a number; of other fields a text. */
  readonly value: string
  readonly isNumber: boolean
  /** The cell that may be refused: its column, its text, and which rule refuses it. */
  readonly cell?: { readonly column: string; readonly raw: string; readonly by: 'number' | 'map' | 'yesNo' }
}

const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/
/** Types of numbers in a Parquet column of JSON. */
const JSON_NUMBERS = ['BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE']
const NOT_IN_MAP = 'not in the map'

export function columnNamed({ columns }: Table, name: string): TableColumn {
  const found = columns.find((column) => column.name === name)
  if (found === undefined) throw new BadFile(`there is no column ${JSON.stringify(name)}`)
  return found
}

export function columnsOf(rule: FieldRule): readonly string[] {
  if ('column' in rule) return [rule.column]
  return 'columns' in rule ? rule.columns : []
}

export function fieldSql(
  table: Table,
  rule: FieldRule,
  domain: Domain | undefined,
  options: CellOptions,
): FieldSql {
  const isNumber = domain === undefined || ['integer', 'decimal', 'list'].includes(domain.kind)
  if ('column' in rule && rule.map === undefined) {
    const column = columnNamed(table, rule.column)
    // A typed number has no text, and none is made.
    const cell = {
      column: column.name,
      raw: NUMERIC.test(column.type) ? 'CAST(NULL AS VARCHAR)' : cellSql(column),
    }
    if (isNumber) {
      return { value: cellNumber(table, column, options), isNumber, cell: { ...cell, by: 'number' } }
    }
    const value = cellText(column, domain, options)
    return { value, isNumber, ...(domain.kind === 'yesNo' && { cell: { ...cell, by: 'yesNo' } }) }
  }
  const text = ruleText(table, rule, options.missing)
  const value = isNumber ? numberSql(text, { decimal: 'point' }) : text
  return { value, isNumber, ...('column' in rule && { cell: { column: rule.column, raw: text, by: 'map' } }) }
}

/** A field as a column of a query: the names of its value and of its cell's text there. */
export interface FieldColumn {
  readonly value: string
  readonly raw: string
  readonly field: FieldSql
}

/** A condition that holds if no cell of the row is refused. It is null where a number is null. */
function rightSql(fields: readonly FieldColumn[]): string {
  const cells = fields.filter(({ field }) => field.cell !== undefined)
  const texts = cells.filter(({ field }) => !field.isNumber)
  const numbers = cells.filter(({ field }) => field.isNumber).map(({ value }) => value)
  const isRight = texts.map((cell) => `coalesce(NOT (${isRefused(cell)}), true)`)
  // The sum is NaN if one of the numbers is.
  if (numbers.length > 0) isRight.push(`NOT isnan(${numbers.join(' + ')})`)
  return isRight.join(' AND ')
}

function isRefused({ value, field: { cell, isNumber } }: FieldColumn): string {
  if (isNumber) return `isnan(${value})`
  return cell?.by === 'map' ? `${value} = '${NOT_IN_MAP}'` : `${value} NOT IN ('true', 'false')`
}

/** The cells of a row that are refused, and why: a column, a tab, the reason and a line feed each; null where none is. */
export function faultsSql(fields: readonly FieldColumn[], forms: CellForms, otherReason: string): string {
  const faults = fields.flatMap((each) => {
    const { cell } = each.field
    if (cell === undefined) return []
    const reason =
      cell.by === 'number' ? `coalesce(${cellFaultSql(each.raw, forms)}, ${otherReason})` : `'${cell.by}'`
    return [`CASE WHEN ${isRefused(each)} THEN ${literal(`${cell.column}\t`)} || ${reason} || chr(10) END`]
  })
  if (faults.length === 0) return 'NULL'
  return `CASE WHEN ${rightSql(fields)} THEN NULL ELSE nullif(concat(${faults.join(', ')}), '') END`
}

/** The cells that a text of `faultsSql` names, and why each is refused. */
export function faultsIn(text: unknown): readonly (readonly [column: string, reason: string])[] {
  const found = typeof text === 'string' ? [...text.matchAll(/(.*)\t(.*)\n/g)] : []
  return found.map(([, column = '', reason = '']) => [column, reason])
}

/** A cell as text, without the spaces around it; null where it is empty. */
export function textSql({ sql, type }: TableColumn): string {
  if (type === 'VARCHAR') return `nullif(${trimmedSql(sql)}, '')`
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

/** Whether the cell stands for no value. A typed number becomes a text only where one of the texts may be a number. */
function isMissing(column: TableColumn, missing: readonly string[]): string {
  const texts = NUMERIC.test(column.type) ? missing.filter((text) => /\d|nan|inf/.test(text)) : missing
  return isOneOf(textSql(column), texts)
}

export function presentSql(column: TableColumn, missing: readonly string[], cell = column.sql): string {
  return `(CASE WHEN ${isMissing(column, missing)} THEN NULL ELSE ${cell} END)`
}

export function cellNumber({ marks }: Table, column: TableColumn, options: CellOptions): string {
  const { sql, type } = column
  const { missing } = options
  if (type === 'VARCHAR') return numberSql(sql, options, marks, missing)
  const ofText = numberSql(textSql(column), options, MARKS, missing)
  const number = `TRY_CAST(${sql} AS DOUBLE)`
  const typed = `CASE WHEN ${sql} IS NULL THEN NULL WHEN isfinite(${number}) THEN ${number} ELSE 'nan'::DOUBLE END`
  const isNumber = isOneOf(`json_type(${sql})`, JSON_NUMBERS)
  const ofJson = type === 'JSON' ? `CASE WHEN ${isNumber} THEN ${typed} ELSE ${ofText} END` : ofText
  return presentSql(column, missing, NUMERIC.test(type) ? typed : ofJson)
}

function cellText(column: TableColumn, domain: Domain, options: CellOptions): string {
  const { missing, codes: received = [] } = options
  const cell = cellSql(column)
  const present = presentSql(column, missing, cell)
  if (received.length > 0) return codedSql(present, received, domain.kind === 'yesNo')
  if (domain.kind === 'date') return dateSql(present, options)
  if (domain.kind === 'yesNo') return yesNoSql(present)
  const codes =
    domain.kind === 'code' ? [...domain.codes.keys()].filter((code) => !missing.includes(code)) : []
  return `CASE WHEN ${isOneOf(cell, codes)} THEN ${cell} ELSE ${trimmedSql(present)} END`
}

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
