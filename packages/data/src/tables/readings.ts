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
  const counted = columns.map((each, place) => {
    const readings = readingsOf(each, options)
    const isTaken = takenSql(table, each, options, today)
    const isGiven = givenSql(table, each, options)
    const isRefused = `${isGiven} AND NOT coalesce(${isTaken({})}, false)`
    return {
      ...each,
      readings,
      sql: [
        `count(*) FILTER (WHERE ${isGiven}) AS g${place}`,
        `count(*) FILTER (WHERE ${isRefused}) AS r${place}`,
        ...readings.map(
          ({ forms }, other) =>
            `count(*) FILTER (WHERE ${isRefused} AND coalesce(${isTaken(forms)}, false)) AS t${place}_${other}`,
        ),
      ],
    }
  })
  const [row = {}] = await engine.rows(
    `SELECT ${counted.flatMap(({ sql }) => sql).join(',\n ')} FROM ${table.from}`,
  )
  return counted.map(({ column, field, readings }, place) => ({
    column: column.name,
    field,
    given: Number(row[`g${place}`]),
    refused: Number(row[`r${place}`]),
    taken: readings.map(({ option }, other) => ({ option, count: Number(row[`t${place}_${other}`]) })),
  }))
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

function givenSql(table: Table, { column, domain }: ReadColumn, options: CellOptions): string {
  if (isNumber(domain)) return `(${cellNumber(table, column, options)}) IS NOT NULL`
  return `coalesce(${dateSql(presentSql(column, options.missing), options)}, '') <> ''`
}

/** A condition that holds where a cell, read in this form, is a value that the field permits. */
function takenSql(
  table: Table,
  { column, domain, conversion }: ReadColumn,
  options: CellOptions,
  today: number,
): (forms: CellForms) => string {
  return (forms) => {
    if (!isNumber(domain)) {
      const text = dateSql(presentSql(column, options.missing), { ...options, ...forms })
      const isWritten = `regexp_full_match(${text}, '[0-9]{2}-[0-9]{2}-[0-9]{4}')`
      const day = `TRY_STRPTIME(CASE WHEN ${isWritten} THEN ${text} END, '%d-%m-%Y')::DATE`
      return `${day} BETWEEN ${dayLiteral(EARLIEST_DATE)} AND ${dayLiteral(today)}`
    }
    const number = `(${cellNumber(table, column, { ...options, ...forms })})`
    const own = conversion === undefined ? number : `(${number} * ${conversion.times} / ${conversion.per})`
    return `(isfinite(${own}) AND ${permittedSql(domain, own)})`
  }
}

function permittedSql(domain: Domain, own: string): string {
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
