/** The table of an input as the source of the model's query: fields, identifiers, and what goes with each result. */
import { CODED_FIELDS, MISSING_TEXTS } from '@patient-risk/monitor'
import type { Codes } from 'patient-risk-engine'
import type { Domain } from 'patient-risk-engine/definition'
import type { Column, ColumnType, SelectOptions } from 'patient-risk-engine/sql'
import { BadFile } from '../../tables/bad-file.ts'
import { isOneOf, trimmedSql } from '../../tables/cell-sql.ts'
import { type TableEngine, fileLiteral, identifier, literal } from '../../tables/engine.ts'
import {
  type CellOptions,
  type FieldColumn,
  type FieldRule,
  columnNamed,
  columnsOf,
  faultsSql,
  fieldSql,
  presentSql,
} from '../../tables/field-sql.ts'
import type { CsvOptions } from '../../tables/open-csv.ts'
import { hasReadings } from '../../tables/readings.ts'
import { FILE_PLACE, type Table, type TableColumn } from '../../tables/table.ts'
import { ROW_CELLS, ROW_KEY, cellsSql } from './row-cells.ts'

export interface ColumnOptions extends CsvOptions, CellOptions {
  /** Our names to theirs. */
  readonly map: ReadonlyMap<string, string>
  readonly rules: Readonly<Record<string, FieldRule>>
  /** A column of any type that takes the place of the idx. */
  readonly id: string | undefined
  readonly isNumbered: boolean
  readonly keep: readonly string[]
}

/** A placeholder in messages for the number of the row, which is known when all rows are written. */
export const ROW_TOKEN = '\uE000row\uE001'
const ID_COLUMN = 'row id'
/** The fields of the row as members of JSON, each after a comma, where the engine is to say more of it. */
export const MEMBERS = 'record members'

/** Of joined files: the place of a row in its file, and the file. Both go with its result. */
export const FILE_ROW = 'file row'
export const FILE = 'file'

/** Of text tables: the cells of a row as they are written, kept in rows that have a problem. */
export const FAULTY_CELLS = 'faulty cells'

export interface TableSource extends Pick<SelectOptions, 'source' | 'columns' | 'id'> {
  readonly isNumbered: boolean
  /** Columns of the source that go with each result: those that the user keeps, and what is known of each row. */
  readonly keep: readonly string[]
  readonly unknown: readonly string[]
  /** The fields that are read from one column, with the name of the column. */
  readonly fields: ReadonlyMap<string, string>
  /** The columns of a text table that hold numbers or dates, which may be written in another form. */
  readonly read: readonly { readonly column: TableColumn; readonly field: string }[]
  /** Those of `keep` that a part has of its faulty rows only, as a list: the cells of `read`, and then codes. */
  readonly written: readonly string[]
}

/** What goes with each row besides its answer. */
export interface RowExtras {
  /** Whether the engine is to say more of the row. */
  readonly hasParts?: boolean
  /** The column by which the row is found again in another run. */
  readonly key?: string | undefined
}

export function tableSource(
  table: Table,
  options: ColumnOptions,
  domains: ReadonlyMap<string, Domain>,
  { hasParts = false, key }: RowExtras,
  codes: Codes = {},
): TableSource {
  const selected: string[] = []
  const columns = new Map<string, Column>()
  const used = new Set<string>()
  const cells: FieldColumn[] = []
  /** The cells of a text table in which a number stands, by the field. */
  const raws = new Map<string, string>()
  const fields = new Map<string, string>()
  const read: { readonly column: TableColumn; readonly field: string }[] = []
  const select = (sql: string, name: string): string => {
    selected.push(`${sql} AS ${identifier(name)}`)
    return name
  }
  const add = (name: string, sql: string, type: ColumnType): void => {
    columns.set(name, { name: select(sql, name), type })
  }
  const addField = (name: string, rule: FieldRule): void => {
    const domain = domains.get(name)
    // An identifier is never missing, even if it looks like a missing value.
    const missing = name === 'idx' ? [] : options.missing
    for (const column of columnsOf(rule)) used.add(column)
    const isPlain = 'column' in rule && rule.map === undefined
    if ('column' in rule) fields.set(name, rule.column)
    if (isPlain && !table.isText) {
      const column = columnNamed(table, rule.column)
      const present = presentSql(column, missing)
      const isTime = domain?.kind === 'date' && column.type.startsWith('TIMESTAMP')
      const type = isTime ? 'date' : TYPES.find(([pattern]) => pattern.test(column.type))?.[1]
      add(name, isTime ? `CAST(${present} AS DATE)` : present, type ?? 'other')
      return
    }
    if (isPlain && domain !== undefined && hasReadings(domain))
      read.push({ column: columnNamed(table, rule.column), field: name })
    const field = fieldSql(table, rule, domain, {
      ...options,
      missing,
      codes: Object.keys(codes[name] ?? {}),
    })
    add(name, field.value, field.isNumber ? 'number' : 'cell')
    if (!isPlain || !field.isNumber || field.cell === undefined) return
    const raw = select(field.cell.raw, `raw ${cells.length}`)
    cells.push({ value: identifier(name), raw: identifier(raw), field })
    if (table.isText) raws.set(name, identifier(raw))
  }

  for (const [field, rule] of Object.entries(options.rules)) {
    if (!domains.has(field)) throw new BadFile(`the specification names a field ${field} that no model has`)
    addField(field, rule)
  }
  for (const [field, column] of options.map) if (!columns.has(field)) addField(field, { column })
  for (const { name } of table.columns) {
    const isField = domains.has(name) || (name === 'idx' && options.id === undefined)
    if (isField && !used.has(name) && !columns.has(name)) addField(name, { column: name })
  }
  const hasIdx = columns.has('idx')
  if (hasIdx && options.isNumbered) throw new BadFile('the rows have an idx of their own; leave out --number')
  const isNumbered = !hasIdx && options.id === undefined
  if (options.id !== undefined) {
    const { sql } = columnNamed(table, options.id)
    used.add(options.id)
    select(table.isText ? trimmedSql(sql) : sql, ID_COLUMN)
  } else if (isNumbered) select(literal(ROW_TOKEN), ID_COLUMN)

  const keep = options.keep.map((name, place) => {
    used.add(name)
    return select(columnNamed(table, name).sql, `kept ${place}`)
  })
  if (key !== undefined) {
    const { sql } = columnNamed(table, key)
    used.add(key)
    keep.push(select(table.isText ? trimmedSql(sql) : sql, ROW_KEY), select(cellsSql(table, used), ROW_CELLS))
  }
  if (table.isJoined === true) keep.push(select(FILE_PLACE.row, FILE_ROW), select(FILE_PLACE.file, FILE))
  if (table.refused !== undefined) keep.push(select(table.refused, 'is refused'))
  const written = table.isText ? read.map(({ column }, place) => select(column.sql, `read ${place}`)) : []
  if (table.isText) written.push(...codedColumns(columns).map(([, { name }]) => name))
  const input = `(SELECT ${selected.join(',\n ')} FROM ${table.from}) AS input`
  const added = [
    ...(cells.length > 0 ? [['cell faults', faultsSql(cells, options, 'NULL')] as const] : []),
    ...(hasParts ? [[MEMBERS, membersSql(columns, domains, codes, raws)] as const] : []),
  ]
  keep.push(...added.map(([name]) => name), ...written)
  const more = added.map(([name, sql]) => `${sql} AS ${identifier(name)}`)
  return {
    source: more.length === 0 ? input : `(SELECT *, ${more.join(', ')} FROM ${input}) AS input`,
    columns,
    id: options.id !== undefined || isNumbered ? ID_COLUMN : undefined,
    isNumbered,
    keep,
    fields,
    read,
    written,
    unknown: table.columns.map(({ name }) => name).filter((name) => !used.has(name) && !columns.has(name)),
  }
}

/** The columns of fields that have codes of other conventions. */
export function codedColumns(
  columns: ReadonlyMap<string, Column>,
): readonly (readonly [field: string, column: Column])[] {
  return [...columns].filter(([field]) => CODED_FIELDS.includes(field))
}

/** The cells of rows that have a problem, and the column that each code is in. */
export interface FaultyRows extends Pick<TableSource, 'read'> {
  readonly from: string
  readonly codes: readonly string[]
}

/** Reads a part once: its rows with a problem are spread over all of it, and few together take as long as many. */
export async function faultyRows(
  engine: TableEngine,
  part: string,
  { read, columns }: Pick<TableSource, 'read' | 'columns'>,
): Promise<FaultyRows> {
  const cells = identifier(FAULTY_CELLS)
  const names = [...read, ...codedColumns(columns)].map((_each, place) => `cell${place}`)
  const selected = names.map((name, place) => `${cells}[${place + 1}] AS ${name}`).join(', ')
  await engine.run(
    `CREATE OR REPLACE TEMP TABLE faulty_rows AS SELECT ${selected} FROM read_parquet(${fileLiteral(part)}) WHERE ${cells} IS NOT NULL`,
  )
  return {
    from: 'faulty_rows',
    read: read.map(({ column, field }, place) => ({ column: { ...column, sql: `cell${place}` }, field })),
    codes: names.slice(read.length),
  }
}

/** What a type of DuckDB is for the model's query. */
const TYPES: readonly (readonly [RegExp, ColumnType])[] = [
  [/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/, 'integer'],
  [/^(DOUBLE|FLOAT)$/, 'number'],
  [/^DECIMAL/, 'decimal'],
  [/^BOOLEAN$/, 'boolean'],
  [/^DATE$/, 'date'],
  [/^(VARCHAR$|ENUM)/, 'text'],
]

/** A value that no field has, in place of one that JSON cannot write. */
const UNREADABLE = "'[]'"

/** The record that the engine reads, as members of JSON, each after a comma: fields without a value are left out. */
function membersSql(
  columns: ReadonlyMap<string, Column>,
  domains: ReadonlyMap<string, Domain>,
  codes: Codes,
  raws: ReadonlyMap<string, string>,
): string {
  const members = [...columns].flatMap(([field, { name, type }]) => {
    const domain = domains.get(field)
    if (domain === undefined) return []
    const value = valueSql(identifier(name), type, domain, Object.keys(codes[field] ?? {}), raws.get(field))
    return [`coalesce(${literal(`,${JSON.stringify(field)}:`)} || ${value}, '')`]
  })
  return ["''", ...members].join(' || ')
}

/** A cell that stands for a missing value stays a text, so that the watch of feeds sees what it is. */
function missingText(raw: string | undefined): string {
  if (raw === undefined) return ''
  const text = trimmedSql(raw)
  return `WHEN ${isOneOf(`upper(${text})`, MISSING_TEXTS)} THEN CAST(to_json(${text}) AS VARCHAR) `
}

/** A column as JSON; NULL where it holds no value. A word that is a code of the sender stays a text. */
function valueSql(
  column: string,
  type: ColumnType,
  { kind }: Domain,
  codes: readonly string[],
  raw: string | undefined,
): string {
  const text = `CAST(${column} AS VARCHAR)`
  const given = (value: string): string => `CASE WHEN ${column} IS NOT NULL THEN ${value} END`
  switch (type) {
    case 'integer':
    case 'decimal':
    case 'boolean':
      return text
    case 'number': {
      const number = `CAST(${column} AS DOUBLE)`
      const infinite = `CASE WHEN ${number} > 0 THEN '1e999' ELSE '-1e999' END`
      return given(
        `CASE WHEN isfinite(${number}) THEN CAST(${number} AS VARCHAR) WHEN isinf(${number}) THEN ${infinite} ${missingText(raw)}ELSE ${UNREADABLE} END`,
      )
    }
    case 'date':
      return given(kind === 'date' ? `'"' || strftime(${column}, '%d-%m-%Y') || '"'` : UNREADABLE)
    case 'text':
      return `CAST(to_json(${text}) AS VARCHAR)`
    case 'cell': {
      const words = ['true', 'false'].filter((word) => !codes.includes(word))
      const plain = kind === 'yesNo' ? `WHEN ${isOneOf(column, words)} THEN ${column} ` : ''
      return `CASE WHEN ${column} = '' THEN NULL ${plain}ELSE CAST(to_json(${column}) AS VARCHAR) END`
    }
    case 'other':
      return given(UNREADABLE)
  }
}
