/** A model as one SELECT: `idx`, `risk` and `error_message` for each row of a table, as the service answers them. */
import type { ModelDefinition } from '../definition/model.ts'
import type { Codes } from '../plan/codes.ts'
import { type Conversions, type Definitions, makePlan } from '../plan/plan.ts'
import { formatDate } from '../read/calendar.ts'
import type { Dialect } from './dialect.ts'
import { sql } from './fragment.ts'
import { Query } from './query.ts'
import { type AnswerOptions, type ResultColumns, printRowAnswer } from './row-answer.ts'

export interface SelectOptions extends AnswerOptions {
  readonly dialect: Dialect
  /** What stands after FROM: a table's name, quoted where needed, or a query in parentheses with an alias. */
  readonly source: string
  /** Fields that the deployment receives in another unit than their own. */
  readonly conversions?: Conversions | undefined
  /** What the codes of the deployment mean, by field. */
  readonly codes?: Codes | undefined
  /** Today as YYYYMMDD. Without it the engine's own current date counts when the query runs. */
  readonly today?: number | undefined
  /** Columns of the source that are added to the result, under their own names. */
  readonly keep?: readonly string[]
  /**
   * Whether each row is answered by itself, so that an index finds the rows that a condition asks for. `source` is the name of a
   * table then, and `idx` is the column as it is.
   */
  readonly isLookup?: boolean | undefined
  /** For the columns `model` and `deployment_digest`, which say in every row where its answer comes from. */
  readonly deploymentDigest?: string | undefined
}

interface SqlModel {
  readonly definition: ModelDefinition
  /** SHA-256 of the model's file, base64. */
  readonly digest: string
}

/** The names of the columns that a result has before those that are kept. */
export function resultColumns(has: {
  readonly hasNotices: boolean
  readonly hasSource: boolean
}): readonly string[] {
  return [
    ...['idx', 'risk', 'error_message'],
    ...(has.hasNotices ? ['notices'] : []),
    ...(has.hasSource ? SOURCE_COLUMNS : []),
  ]
}

const SOURCE_COLUMNS = ['model', 'deployment_digest'] as const

/** Throws NotInSql for a model that SQL cannot compute exactly. */
export function selectFor(definitions: Definitions, model: SqlModel, options: SelectOptions): string {
  const { dialect } = options
  const { definition } = model
  const day =
    options.today === undefined ? undefined : formatDate(options.today).split('-').reverse().join('-')
  const plan = makePlan(definitions, definition, options.conversions, options.codes)
  const query = new Query(dialect, plan, day === undefined ? dialect.currentDay : dialect.date(day))
  const print = options.isLookup === true ? printLookup : printScan
  const isRepeated =
    options.isRepeated ?? (options.isLookup === true ? isRepeatedByIndex(options) : undefined)
  const answer = printRowAnswer(query, definitions, definition, { ...options, isRepeated })
  return `${commentOf(model, options, day)}\n${print(query, answer, sourceTexts(definition, options), options)}`
}

/** The columns that are the same in every row. */
function sourceTexts(definition: ModelDefinition, { dialect, deploymentDigest }: SelectOptions): Listed {
  if (deploymentDigest === undefined) return []
  const texts = [nameOf(definition), deploymentDigest]
  return SOURCE_COLUMNS.map((name, place) => [name, dialect.string(texts[place] ?? '')])
}

/** Columns of a result: a name, and the text of what it holds. */
type Listed = readonly (readonly [string, string])[]

function selectList(columns: Listed): string {
  return `SELECT\n${columns.map(([name, text]) => `  ${text} AS ${name}`).join(',\n')}`
}

/** All rows in one go. */
function printScan(query: Query, answer: ResultColumns, texts: Listed, options: SelectOptions): string {
  const { dialect, keep = [], source } = options
  const kept = keep.map((name) => {
    const quoted = dialect.identifier(name)
    return [quoted, query.define('z', sql`${quoted}`).text] as const
  })
  const { text: steps, last } = query.print(source)
  const columns = [...textsOf(answer), ...texts, ...kept]
  return `${steps}\n${selectList(columns)}\nFROM ${last}\n${dialect.settings === undefined ? '' : `${dialect.settings}\n`}`
}

/** The names of a row that is answered, and of its answer. */
const ROW = 'patient_row'
const ANSWER = 'patient_answer'

/** The same steps over one row at a time. The idx and the kept columns are those of the table, which its indexes know. */
function printLookup(query: Query, answer: ResultColumns, texts: Listed, options: SelectOptions): string {
  const { dialect, keep = [], source, id } = options
  const { text: steps, last } = query.print(`(SELECT ${ROW}.*) AS one_row`)
  const [, ...judged] = textsOf(answer)
  const own = (name: string): string => `${ROW}.${dialect.identifier(name)}`
  const columns = [
    ['idx', own(id ?? nameOfIdx(options))] as const,
    ...judged.map(([name]) => [name, `${ANSWER}.${name}`] as const),
    ...texts,
    ...keep.map((name) => [dialect.identifier(name), own(name)] as const),
  ]
  const inner = `${steps}\n${selectList(judged)}\nFROM ${last}`
  return `${selectList(columns)}\nFROM ${source} AS ${ROW} CROSS JOIN LATERAL (\n${inner}\n) AS ${ANSWER}\n`
}

/** Whether the table has the idx of a row twice. A second row is enough: no more of them are counted. */
function isRepeatedByIndex(options: SelectOptions): string {
  const { dialect, source, id } = options
  const column = dialect.identifier(id ?? nameOfIdx(options))
  const alike = `SELECT 1 AS one FROM ${source} AS other_row WHERE other_row.${column} = ${ROW}.${column} LIMIT 2`
  return `(SELECT count(*) > 1 FROM (${alike}) AS alike)`
}

function nameOfIdx({ columns }: SelectOptions): string {
  return columns.get('idx')?.name ?? 'idx'
}

function textsOf(columns: ResultColumns): Listed {
  return columns.map(([name, { text }]) => [name, text])
}

function nameOf({ id, version }: ModelDefinition): string {
  return `${id}@${version}`
}

/** What a reader of the statement must know, in its first line. */
function commentOf(
  { definition, digest }: SqlModel,
  options: SelectOptions,
  day: string | undefined,
): string {
  const { dialect, output, isRepeated } = options
  const answered = output.kind === 'number' ? 'number' : `yes-no, threshold ${output.threshold}`
  const parts = [
    `-- ${nameOf(definition)}, sha-256=:${digest}:, output ${answered}, for ${dialect.name}. Printed by patient-risk sql.`,
    ...(day === undefined ? [] : [`Today is ${day}.`]),
    ...(isRepeated === 'FALSE' ? [NO_CHECK] : []),
  ]
  return parts.join(' ')
}

const NO_CHECK = 'Repeated identifiers are not looked for: the table must not have any.'
