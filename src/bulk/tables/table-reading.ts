/** How the columns of a table become fields: names, identifiers, values, and what stands for no value. */
import type { Domain } from '../../definition/domain.ts'
import type { Column, ColumnType } from '../../sql/read-field.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { cellFaultSql, dateSql, numberSql, trimmedSql, yesNoSql } from '../../tables/cell-sql.ts'
import type { CsvOptions } from '../../tables/open-csv.ts'
import { identifier, literal } from '../../tables/engine.ts'
import type { Table, TableColumn } from '../../tables/open-table.ts'
import type { CellForms } from '../../tables/read-cell.ts'

type Value = number | boolean | string | null

/** Where a field's value comes from, as a specification for `learn` says it. */
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

export interface TableReading extends CsvOptions, CellForms {
  /** Our names to theirs. */
  readonly map: ReadonlyMap<string, string>
  readonly rules: Readonly<Record<string, FieldRule>>
  /** Texts that stand for no value, beside the empty one. */
  readonly missing: readonly string[]
  /** A column of any type that takes the place of the idx. */
  readonly id: string | undefined
  readonly isNumbered: boolean
  readonly keep: readonly string[]
}

/** Stands in a message for the number of the row, which is known when all rows are written. */
export const ROW_TOKEN = '\uE000row\uE001'
export const ID_COLUMN = 'row id'

/** A table as the source of the model's query. */
export interface TableSource {
  /** What stands after FROM. */
  readonly source: string
  readonly columns: ReadonlyMap<string, Column>
  readonly id: string | undefined
  readonly isNumbered: boolean
  /** Columns of the source that go with each result, in their order. */
  readonly carried: readonly string[]
  /** Columns that hold no field: they are ignored. */
  readonly unknown: readonly string[]
}

export function tableSource(
  table: Table,
  reading: TableReading,
  domains: ReadonlyMap<string, Domain>,
): TableSource {
  const columnNamed = (name: string): TableColumn => {
    const found = table.columns.find((column) => column.name === name)
    if (found === undefined) throw new BadFile(`there is no column ${JSON.stringify(name)}`)
    return found
  }
  const selected: string[] = []
  const columns = new Map<string, Column>()
  const used = new Set<string>()
  const numbers: { readonly isFaulty: string; readonly fault: string }[] = []
  const add = (field: string, sql: string, type: ColumnType): void => {
    selected.push(`${sql} AS ${identifier(field)}`)
    columns.set(field, { name: field, type })
  }
  const addField = (field: string, domain: Domain | undefined, { name, sql, type }: TableColumn): void => {
    used.add(name)
    if (!table.isText) {
      const isDay = domain?.kind === 'date' && type.startsWith('TIMESTAMP')
      add(
        field,
        withoutMissing(isDay ? `CAST(${sql} AS DATE)` : sql, type, reading.missing),
        isDay ? 'date' : typeOf(type),
      )
      return
    }
    const present = withoutMissing(sql, type, reading.missing)
    if (domain === undefined || isNumber(domain)) {
      add(field, numberSql(present, reading), 'number')
      const raw = identifier(`raw ${numbers.length}`)
      selected.push(`${sql} AS ${raw}`)
      numbers.push({
        isFaulty: `isnan(${identifier(field)})`,
        fault: `${literal(`${name}\t`)} || ${cellFaultSql(raw, reading)} || chr(10)`,
      })
    } else add(field, textSql(domain, present, reading), 'cell')
  }

  for (const [field, rule] of Object.entries(reading.rules)) {
    const domain = domains.get(field)
    if (domain === undefined) throw new BadFile(`the specification names a field ${field} that no model has`)
    if ('column' in rule && rule.map === undefined) {
      addField(field, domain, columnNamed(rule.column))
      continue
    }
    const read = 'column' in rule ? [rule.column] : 'columns' in rule ? rule.columns : []
    for (const name of read) used.add(name)
    const sql = ruleSql(rule, (name) => columnNamed(name).sql, reading.missing)
    if (isNumber(domain)) add(field, numberSql(sql, { decimal: 'point' }), 'number')
    else add(field, sql, 'cell')
  }
  for (const [field, theirs] of reading.map) {
    if (!columns.has(field)) addField(field, domains.get(field), columnNamed(theirs))
  }
  for (const column of table.columns) {
    const domain = domains.get(column.name)
    const isField = domain !== undefined || (column.name === 'idx' && reading.id === undefined)
    if (isField && !used.has(column.name) && !columns.has(column.name)) addField(column.name, domain, column)
  }
  const hasIdx = columns.has('idx')
  if (hasIdx && reading.isNumbered) throw new BadFile('the rows have an idx of their own; leave out --number')
  const isNumbered = !hasIdx && reading.id === undefined
  if (reading.id !== undefined) {
    const { sql } = columnNamed(reading.id)
    used.add(reading.id)
    selected.push(`${table.isText ? trimmedSql(sql) : sql} AS ${identifier(ID_COLUMN)}`)
  } else if (isNumbered) selected.push(`${literal(ROW_TOKEN)} AS ${identifier(ID_COLUMN)}`)

  const carried = reading.keep.map((_name, place) => `kept ${place}`)
  reading.keep.forEach((name, place) => {
    used.add(name)
    selected.push(`${columnNamed(name).sql} AS ${identifier(`kept ${place}`)}`)
  })
  if (table.refused !== undefined) {
    carried.push('is refused')
    selected.push(`${table.refused} AS ${identifier('is refused')}`)
  }
  const input = `(SELECT ${selected.join(',\n ')} FROM ${table.from}) AS input`
  if (numbers.length > 0) carried.push('cell faults')
  return {
    source:
      numbers.length === 0
        ? input
        : `(SELECT *, ${faultsSql(numbers)} AS "cell faults" FROM ${input}) AS input`,
    columns,
    id: reading.id !== undefined || isNumbered ? ID_COLUMN : undefined,
    isNumbered,
    carried,
    unknown: table.columns
      .filter(({ name }) => !used.has(name) && !columns.has(name))
      .map(({ name }) => name),
  }
}

/** The columns of a row whose numbers cannot be read, and why, a line each. Most rows have none, and pay little. */
function faultsSql(numbers: readonly { readonly isFaulty: string; readonly fault: string }[]): string {
  const isFaulty = numbers.map((each) => each.isFaulty).join(' OR ')
  const faults = numbers.map((each) => `CASE WHEN ${each.isFaulty} THEN ${each.fault} END`)
  return `CASE WHEN ${isFaulty} THEN nullif(concat(${faults.join(', ')}), '') END`
}

function isNumber({ kind }: Domain): boolean {
  return kind === 'integer' || kind === 'decimal' || kind === 'list'
}

function textSql(domain: Domain, sql: string, reading: TableReading): string {
  switch (domain.kind) {
    case 'date':
      return dateSql(sql, reading)
    case 'yesNo':
      return yesNoSql(sql)
    case 'code':
      return trimmedSql(sql, [...domain.codes.keys()])
    default:
      return trimmedSql(sql)
  }
}

function withoutMissing(sql: string, type: string, missing: readonly string[]): string {
  const texts = missing.filter((text) => text !== '')
  if (texts.length === 0 || type !== 'VARCHAR') return sql
  return `(CASE WHEN ${trimmedSql(sql)} IN (${texts.map(literal).join(', ')}) THEN NULL ELSE ${sql} END)`
}

/** A value as a cell's text. */
function cellOf(value: Value): string {
  return value === null ? 'NULL' : literal(String(value))
}

function ruleSql(rule: FieldRule, sqlOf: (column: string) => string, missing: readonly string[]): string {
  if ('constant' in rule) return cellOf(rule.constant)
  if ('columns' in rule) {
    const { startsWith, equals = [] } = rule
    const isMeant = rule.columns.flatMap((name) => {
      const text = `trim(CAST(${sqlOf(name)} AS VARCHAR))`
      const same = equals.length === 0 ? [] : [`${text} IN (${equals.map(literal).join(', ')})`]
      return [...startsWith.map((start) => `starts_with(${text}, ${literal(start)})`), ...same]
    })
    return `CASE WHEN coalesce(${isMeant.join(' OR ')}, false) THEN ${cellOf(rule.yes)} ELSE ${cellOf(rule.no)} END`
  }
  const text = `trim(CAST(${sqlOf(rule.column)} AS VARCHAR))`
  const branches = Object.entries(rule.map ?? {}).map(
    ([from, to]) => `WHEN ${literal(from)} THEN ${cellOf(to)}`,
  )
  const none = missing.map((each) => `WHEN ${literal(each)} THEN NULL`)
  // What the map does not list stays a text that no field permits.
  return `CASE ${text} ${[...branches, ...none].join(' ')} ELSE 'not in the map' END`
}

/** What a type of DuckDB is for the model's query. */
function typeOf(type: string): ColumnType {
  if (/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/.test(type)) return 'integer'
  if (type === 'DOUBLE' || type === 'FLOAT') return 'number'
  if (type.startsWith('DECIMAL')) return 'decimal'
  if (type === 'BOOLEAN') return 'boolean'
  if (type === 'DATE') return 'date'
  return type === 'VARCHAR' || type.startsWith('ENUM') ? 'text' : 'other'
}
