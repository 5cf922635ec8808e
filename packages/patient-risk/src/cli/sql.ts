/** `patient-risk sql`: prints a model as one SELECT, for tables that stay in their database. */
import { type Catalog, digestText } from '@patient-risk/catalog'
import type { Codes, FieldCodes } from 'patient-risk-engine'
import { type Domain, nearNames } from 'patient-risk-engine/definition'
import { EARLIEST_DATE, formatDate, parseDate } from 'patient-risk-engine/read'
import {
  DIALECTS,
  NotInSql,
  type Column,
  type ColumnType,
  type Columns,
  type Dialect,
  resultColumns,
  selectFor,
} from 'patient-risk-engine/sql'
import { Refusal, UsageError, command, printNote, printOutput } from './command.ts'
import { dbtModel, dbtSource, refuseDbt } from './dbt-model.ts'
import { MODEL_TEXTS, deploymentFor, mapOf } from './score/score-options.ts'
import { doubtsStatement } from './sql-doubts.ts'

/** The type that a table usually has for a field; `number` for those that are not listed. */
const USUAL: Partial<Record<Domain['kind'], ColumnType>> = { code: 'text', yesNo: 'boolean', date: 'date' }
const COLUMN_TYPES = 'cell, text, integer, number, decimal, boolean, date, other'

export const sql = command(
  {
    texts: [...MODEL_TEXTS, 'dialect', 'table', 'id', 'columns', 'today', 'updated'],
    lists: ['map', 'keep'],
    flags: ['notices', 'source', 'unique', 'lookup', 'doubts', 'dbt'],
  },
  (values) => {
    const dialect = DIALECTS.find(({ name }) => name === values.dialect)
    if (dialect === undefined)
      throw new UsageError(`--dialect takes ${DIALECTS.map(({ name }) => name).join(', ')}.`)
    const today = values.today === undefined ? undefined : dayIn(values.today)
    const isDbt = values.dbt === true
    if (isDbt) refuseDbt(dialect, values)
    else if (values.updated !== undefined) throw new UsageError('--updated goes with --dbt.')
    const { id, table = 'patients', updated = 'updated_at' } = values
    const keep = keptColumns(values, isDbt ? updated : undefined)
    const listed = values.columns?.split(',').map((each) => each.trim())
    refuseKept({ ...values, keep }, listed)
    const isLookup = values.lookup === true
    if (isLookup) refuseLookup(dialect, table)
    const { catalog, deployment } = deploymentFor(values)
    const { model, output, scorerOptions } = deployment
    const map = mapOf(values, catalog)
    const usual = ['idx', ...Object.keys(model.definition.inputs)].map((ours) => map.get(ours) ?? ours)
    const named = listed ?? (id === undefined ? usual : usual.slice(1))
    const used = [...(id === undefined ? [] : [id]), ...keep]
    const columns = columnsOf(named, map, catalog, used, scorerOptions.codes)
    if (values.doubts === true) {
      refuseWithDoubts(values)
      return printOutput(doubtsStatement({ catalog, deployment, dialect, table, columns }))
    }
    if (id === undefined && !columns.has('idx'))
      throw new UsageError('No column is the idx; name it with --id COLUMN or --map idx=COLUMN.')
    if (isLookup && id === undefined && columns.get('idx')?.type !== 'integer')
      throw new UsageError('--lookup needs an idx of the type integer, or a column of any type with --id.')
    const notices = values.notices === true ? scorerOptions : undefined
    const digest = digestText(deployment)
    const deploymentDigest = values.source === true || isDbt ? digest : undefined
    const idx = id ?? columns.get('idx')?.name ?? 'idx'
    const dbt = { dialect, table, idx, updated, deploymentDigest: digest }
    const source = isDbt ? dbtSource(dbt) : table
    for (const input of Object.keys(model.definition.inputs)) {
      if (!columns.has(input)) printNote(`No column holds ${input}, an input of the model.`)
    }
    try {
      const { conversions, codes } = scorerOptions
      const options = { dialect, source, columns, output, id, conversions, codes, today, keep, isLookup }
      const isRepeated = values.unique === true ? 'FALSE' : undefined
      const told = { notices, deploymentDigest }
      const statement = selectFor(catalog.definitions, model, { ...options, ...told, isRepeated })
      return printOutput(isDbt ? dbtModel(statement, dbt) : statement)
    } catch (error) {
      throw error instanceof NotInSql ? new Refusal(error.message) : error
    }
  },
)

/** The statement for doubts has one row for each doubt, and none for a patient. */
function refuseWithDoubts(values: Readonly<Record<string, unknown>>): void {
  const given = ['notices', 'source', 'unique', 'lookup', 'keep', 'today', 'dbt', 'updated'].find(
    (name) => name in values,
  )
  if (given !== undefined) throw new UsageError(`--${given} does not go with --doubts.`)
}

/** A day written YYYY-MM-DD, as YYYYMMDD. */
function dayIn(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year === undefined) throw new UsageError('--today takes a day, YYYY-MM-DD.')
  const date = parseDate(`${day}-${month}-${year}`)
  if (date === undefined) throw new UsageError(`--today ${text}: there is no such day.`)
  if (date < EARLIEST_DATE)
    throw new UsageError(`--today ${text}: the earliest day is ${formatDate(EARLIEST_DATE)}.`)
  return date
}

/** A table's name, with its schema or without. */
const TABLE_NAME = /^("([^"]|"")+"|[a-z_]\w*)(\.("([^"]|"")+"|[a-z_]\w*))*$/i

/** The form for single rows is printed where it has been measured, and where its source can be named a second time. */
function refuseLookup({ name }: Dialect, table: string): void {
  if (name !== 'postgres')
    throw new UsageError(
      `--lookup is for --dialect postgres. The statement for ${name} has one form, which reads the whole table.`,
    )
  if (!TABLE_NAME.test(table))
    throw new UsageError(
      `--lookup needs the name of a table or view after --table; ${table} is more than a name.`,
    )
}

/** The model of dbt compares a column of the table with what its results have kept of it. */
function keptColumns(
  { keep = [] }: { readonly keep?: readonly string[] },
  updated: string | undefined,
): readonly string[] {
  return updated === undefined || keep.includes(updated) ? keep : [...keep, updated]
}

interface KeepValues {
  readonly keep?: readonly string[]
  readonly id?: string
  readonly notices?: boolean
  readonly source?: boolean
  readonly dbt?: boolean
}

/** Kept columns have names of their own. Where the columns of the table are listed, they are among them. */
function refuseKept(
  { keep = [], id = '', notices, source, dbt }: KeepValues,
  listed: readonly string[] | undefined,
): void {
  const taken = new Set([
    ...resultColumns({ hasNotices: notices === true, hasSource: source === true || dbt === true }),
    ...(dbt === true ? ['scored_on', 'scored_at'] : []),
  ])
  const known = listed && [...listed.map((each) => each.split(':')[0] ?? ''), id]
  for (const name of keep) {
    if (name === '') throw new UsageError('--keep names no column.')
    // Most databases take names that differ in case for the same.
    if (taken.has(name.toLowerCase()))
      throw new UsageError(
        `--keep ${name}: the results already have a column of that name. Names of columns are not case-sensitive.`,
      )
    taken.add(name.toLowerCase())
    if (known === undefined || known.includes(name)) continue
    const near = nearNames(name, known)
    const meant = near.length === 0 ? '' : ` Is it ${near.join(' or ')}?`
    throw new UsageError(`--keep ${name}: --columns does not list it.${meant}`)
  }
}

/** Where the deployment states codes, the column has these: whole numbers, or texts. */
function usualType({ kind }: Domain, codes: FieldCodes = {}): ColumnType {
  const names = Object.keys(codes)
  if (names.length === 0) return USUAL[kind] ?? 'number'
  return names.every((code) => /^-?\d{1,9}$/.test(code)) ? 'integer' : 'text'
}

/** The columns by field. Unknown columns that nothing else uses are reported once, with similar names. */
function columnsOf(
  given: readonly string[],
  map: ReadonlyMap<string, string>,
  catalog: Catalog,
  used: readonly string[],
  codes: Codes = {},
): Columns {
  const ours = new Map([...map].map(([field, theirs]) => [theirs, field]))
  const columns = new Map<string, Column>()
  for (const each of given) {
    const [name = '', typeName] = each.split(':')
    const field = ours.get(name) ?? name
    const domain = catalog.domains.get(field)
    const type = COLUMN_TYPES.split(', ').find((known) => known === typeName) as ColumnType | undefined
    if (typeName !== undefined && type === undefined)
      throw new UsageError(`--columns ${each}: a type is ${COLUMN_TYPES}.`)
    if (field === 'idx') columns.set('idx', { name, type: type ?? 'integer' })
    else if (domain !== undefined) columns.set(field, { name, type: type ?? usualType(domain, codes[field]) })
    else if (!used.includes(name)) {
      const near = nearNames(name, ['idx', ...catalog.domains.keys()])
      printNote(
        `The column ${name} is not a field and is ignored.${near.length === 0 ? '' : ` Is it ${near.join(' or ')}?`}`,
      )
    }
  }
  return columns
}
