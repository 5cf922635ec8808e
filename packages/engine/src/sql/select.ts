/** A model as one SELECT: `idx`, `risk` and `error_message` for each row of a table, as the service answers them. */
import type { ModelDefinition } from '../definition/model.ts'
import { type Conversions, type Definitions, makePlan } from '../plan/plan.ts'
import { formatDate } from '../read/calendar.ts'
import type { Dialect } from './dialect.ts'
import { sql } from './fragment.ts'
import { Query } from './query.ts'
import { type AnswerOptions, printRowAnswer } from './row-answer.ts'

export interface SelectOptions extends AnswerOptions {
  readonly dialect: Dialect
  /** What stands after FROM: a table's name, quoted where needed, or a query in parentheses with an alias. */
  readonly source: string
  /** Fields that the deployment receives in another unit than their own. */
  readonly conversions?: Conversions | undefined
  /** Today as YYYYMMDD. Without it the engine's own current date counts when the query runs. */
  readonly today?: number | undefined
  /** Columns of the source that are added to the result, under their own names. */
  readonly keep?: readonly string[]
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
  const { dialect, source, keep = [], deploymentDigest } = options
  const { definition } = model
  const day =
    options.today === undefined ? undefined : formatDate(options.today).split('-').reverse().join('-')
  const plan = makePlan(definitions, definition, options.conversions)
  const query = new Query(dialect, plan, day === undefined ? dialect.currentDay : `DATE '${day}'`)
  const answer = printRowAnswer(query, definitions, definition, options)
  const said = deploymentDigest === undefined ? [] : [nameOf(definition), deploymentDigest]
  const columns = [
    ...answer,
    ...said.map((text, place) => [SOURCE_COLUMNS[place], sql`${dialect.string(text)}`] as const),
    ...keep.map((name) => {
      const quoted = dialect.identifier(name)
      return [quoted, query.define('z', sql`${quoted}`)] as const
    }),
  ]
  const { text: steps, last } = query.print(source)
  const listed = columns.map(([name, { text }]) => `  ${text} AS ${name}`)
  return `${commentOf(model, options, day)}\n${steps}\nSELECT\n${listed.join(',\n')}\nFROM ${last}\n`
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
