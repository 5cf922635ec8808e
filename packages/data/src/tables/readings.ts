/**
 * Other readings of the cells of a text table: how many refused cells would be taken, for example with a decimal comma. Cells are only
 * counted, in one query; none is shown.
 */
import { DATE_FORMS, dateForm, hasDecimalCommas } from 'patient-risk-engine/cells'
import type { Domain } from 'patient-risk-engine/definition'
import type { Conversion } from 'patient-risk-engine'
import { EARLIEST_DATE } from 'patient-risk-engine/read'
import { type CellForms, dateSql } from './cell-sql.ts'
import { type TableEngine, literal } from './engine.ts'
import { type CellOptions, cellNumber, presentSql } from './field-sql.ts'
import type { Table, TableColumn } from './table.ts'

/** A column of the table that holds a field of numbers or dates. */
export interface ReadColumn {
  readonly column: TableColumn
  readonly field: string
  readonly domain: Domain
  readonly conversion: Conversion | undefined
}

/** A reading that an option of the command line asks for. */
interface OtherReading {
  readonly option: string
  readonly forms: CellForms
}

export interface ColumnCounts {
  readonly column: string
  readonly field: string
  /** Cells that are not empty, and those of them that are no permitted value. */
  readonly given: number
  readonly refused: number
  /** Refused cells that a permitted value would be read from, by option. */
  readonly taken: readonly { readonly option: string; readonly count: number }[]
}

/** So many refused cells must be taken by another reading before it is proposed, and at least half of all that are refused. */
export const FEWEST_TAKEN = 10

/** The state of a cell that holds no permitted value. */
const REFUSED = 2

const DECIMALS: readonly OtherReading[] = [
  { option: '--decimal-comma', forms: { decimal: 'comma' } },
  { option: '--decimal-point', forms: { decimal: 'point' } },
]
const DATES: readonly OtherReading[] = DATE_FORMS.map((dates) => ({
  option: `--dates ${dates}`,
  forms: { dates },
}))
/** Texts that are looked at where two readings would take the same cells. */
const MOST_TEXTS = 10_000

export async function countReadings(
  engine: TableEngine,
  table: Table,
  columns: readonly ReadColumn[],
  options: CellOptions,
  today: number,
): Promise<readonly ColumnCounts[]> {
  if (columns.length === 0) return []
  const judged = columns.map((each, place): JudgedColumn => {
    const own = { ...each, column: { ...each.column, sql: `cell${place}` } }
    const value = `value${place}`
    const isGiven = isNumber(each.domain) ? `${value} IS NOT NULL` : `coalesce(${value}, '') <> ''`
    const isPermitted = permittedSql(own, value, today)
    return {
      ...own,
      state: `state${place}`,
      selected: [
        `${each.column.sql} AS cell${place}`,
        `${valueSql(table, own, options)} AS ${value}`,
        `CASE WHEN NOT (${isGiven}) THEN 0 WHEN ${isPermitted} THEN 1 ELSE ${REFUSED} END AS state${place}`,
      ],
    }
  })
  const counted = await countEach(engine, table, judged, ({ state }) => [
    `count(*) FILTER (WHERE ${state} > 0)`,
    `count(*) FILTER (WHERE ${state} = ${REFUSED})`,
  ])
  const suspected = judged.filter((_each, place) => (counted[place]?.[1] ?? 0) >= FEWEST_TAKEN)
  const taken = await countEach(engine, table, suspected, (each) =>
    readingsOf(each, options).map(({ forms }) => {
      const isTaken = permittedSql(each, valueSql(table, each, { ...options, ...forms }), today)
      const { state } = each
      return `count(*) FILTER (WHERE CASE WHEN ${state} = ${REFUSED} THEN coalesce(${isTaken}, false) ELSE false END)`
    }),
  )
  return judged.map((each, place) => {
    const [given = 0, refused = 0] = counted[place] ?? []
    const counts = taken[suspected.indexOf(each)] ?? []
    return {
      column: each.column.name,
      field: each.field,
      given,
      refused,
      taken: readingsOf(each, options).map(({ option }, other) => ({ option, count: counts[other] ?? 0 })),
    }
  })
}

/** A column of a query that names the cell, its value and its state, each in a step of its own. */
interface JudgedColumn extends ReadColumn {
  readonly state: string
  readonly selected: readonly [cell: string, value: string, state: string]
}

/** What the aggregates of each column count. */
async function countEach(
  engine: TableEngine,
  { from }: Pick<Table, 'from'>,
  columns: readonly JudgedColumn[],
  aggregatesOf: (column: JudgedColumn) => readonly string[],
): Promise<readonly (readonly number[])[]> {
  if (columns.length === 0) return []
  const aggregates = columns.map(aggregatesOf)
  const named = aggregates.flat().map((sql, place) => `${sql} AS n${place}`)
  const step = (place: 0 | 1 | 2): string => columns.map(({ selected }) => selected[place]).join(', ')
  const [row = {}] = await engine.rows(
    `SELECT ${named.join(',\n ')} FROM (
 SELECT *, ${step(2)} FROM (SELECT *, ${step(1)} FROM (SELECT ${step(0)} FROM ${from})))`,
  )
  const counts = Object.values(row).map(Number)
  let at = 0
  return aggregates.map(({ length }) => counts.slice(at, (at += length)))
}

/** The options that take enough of the refused cells. Several where the cells leave open which of them is meant. */
export function proposedOptions({ refused, taken }: ColumnCounts): readonly string[] {
  return taken
    .filter(({ count }) => count >= FEWEST_TAKEN && count * 2 >= refused)
    .map(({ option }) => option)
}

/** The one of several options that the texts of the column show to be meant; all of them where they show none. */
export async function decidedOptions(
  engine: TableEngine,
  table: Table,
  { column, domain }: ReadColumn,
  options: readonly string[],
): Promise<readonly string[]> {
  if (options.length < 2) return options
  const found = await engine.rows(
    `SELECT DISTINCT trim(${column.sql}) AS text FROM ${table.from} WHERE ${column.sql} IS NOT NULL LIMIT ${MOST_TEXTS}`,
  )
  const texts = found.map(({ text }) => String(text))
  const form = dateForm(texts)
  const decimal = hasDecimalCommas(texts) ? '--decimal-comma' : undefined
  const shown = domain.kind === 'date' ? form && `--dates ${form}` : decimal
  return options.filter((option) => option === shown).length === 1 ? [shown as string] : options
}

function isNumber({ kind }: Domain): boolean {
  return kind === 'integer' || kind === 'decimal' || kind === 'list'
}

/** Whether other readings of a field are known. */
export function hasReadings(domain: Domain): boolean {
  return isNumber(domain) || domain.kind === 'date'
}

/** All readings but the one in use. */
function readingsOf({ domain }: ReadColumn, { decimal, dates }: CellForms): readonly OtherReading[] {
  if (isNumber(domain)) return DECIMALS.filter(({ forms }) => forms.decimal !== decimal)
  return DATES.filter(({ forms }) => forms.dates !== dates)
}

/** A number, or a date as a text; NULL where the cell holds no value. */
function valueSql(table: Table, { column, domain }: ReadColumn, options: CellOptions): string {
  if (isNumber(domain)) return cellNumber(table, column, options)
  return dateSql(presentSql(column, options.missing), options)
}

/** A condition that holds where such a value is one that the field permits. */
function permittedSql({ domain, conversion }: ReadColumn, value: string, today: number): string {
  if (!isNumber(domain)) {
    const isWritten = `regexp_full_match(${value}, '[0-9]{2}-[0-9]{2}-[0-9]{4}')`
    const day = `TRY_STRPTIME(CASE WHEN ${isWritten} THEN ${value} END, '%d-%m-%Y')::DATE`
    return `${day} BETWEEN ${dayLiteral(EARLIEST_DATE)} AND ${dayLiteral(today)}`
  }
  const own =
    conversion === undefined ? `(${value})` : `((${value}) * ${conversion.times} / ${conversion.per})`
  return `(isfinite(${own}) AND ${withinSql(domain, own)})`
}

function withinSql(domain: Domain, own: string): string {
  if (domain.kind === 'list') return `${own} IN (${domain.values.join(', ')})`
  if (domain.kind !== 'integer' && domain.kind !== 'decimal') return 'true'
  const isWithin = `${own} BETWEEN ${domain.from} AND ${domain.to}`
  return domain.kind === 'integer' ? `${isWithin} AND ${own} = floor(${own})` : isWithin
}

function dayLiteral(day: number): string {
  return `DATE ${literal(String(day).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'))}`
}

const DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'pipes',
}
const ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}

/** How a text table is read, for a person. */
export function describeForm(table: Pick<Table, 'encoding' | 'delimiter'>, options: CellForms): string {
  const { encoding, delimiter } = table
  const cells =
    delimiter === undefined
      ? 'XLSX'
      : `CSV in ${ENCODINGS[encoding] ?? encoding}, cells separated by ${DELIMITERS[delimiter] ?? 'another sign'}`
  const numbers = options.decimal === 'comma' ? 'a decimal comma' : 'a decimal point'
  const dates: readonly string[] = [
    ...(options.dates === undefined ? [] : [options.dates]),
    'DD-MM-YYYY',
    'YYYY-MM-DD',
  ]
  return `${cells}, numbers with ${numbers}, dates as ${dates.join(' or ')}`
}
