/** A model as one SELECT: `idx`, `risk` and `error_message` for each row of a table, as the service answers them. */
import type { ModelDefinition } from '../definition/model.ts'
import { type NoticeOptions, noticeRules } from '../explain/notice-rules.ts'
import { lowerScale } from '../judge/lower-scale.ts'
import { REASONS } from '../judge/problem.ts'
import { type Conversions, type Definitions, makePlan } from '../plan/plan.ts'
import { formatDate } from '../read/calendar.ts'
import { STATE } from '../plan/slots.ts'
import { answerNode } from '../score/answer.ts'
import { type CompiledModel, compileModel, scoreNode } from '../score/model.ts'
import type { Output } from '../scorer.ts'
import type { Dialect } from './dialect.ts'
import { FALSE, type Sql, TRUE, and, cases, join, not, or, sql, when } from './fragment.ts'
import { type Problems, printError, printMissing, problemsOf } from './messages.ts'
import { noticesOf, scoredSlots } from './notices.ts'
import { Printer } from './print-expression.ts'
import { type Column, type Columns, numberColumn, rawColumn, readField } from './read-field.ts'
import { reconcileScale } from './print-assignment.ts'
import { Query } from './query.ts'
import { ABSENT, type Slot, type SlotList, isUsable } from './slot.ts'

export interface SelectOptions {
  /** The columns of the source, by the field that each one holds; `idx` among them unless `id` is given. */
  readonly columns: Columns
  /** A column of any type that takes the place of the idx in the output, in the messages and in the check for repeats. */
  readonly id?: string | undefined
  /** An expression for a row's position from 0, which messages name where a row has no usable idx. */
  readonly position?: string
  /**
   * How rows with the same idx are found: by the query itself, or by a condition of the caller's, which may use the columns of
   * the source. `FALSE` where no two rows can have the same idx.
   */
  readonly isRepeated?: string
  readonly dialect: Dialect
  /** What stands after FROM: a table's name, quoted where needed, or a query in parentheses with an alias. */
  readonly source: string
  readonly output: Output
  /** Fields that the deployment receives in another unit than their own. */
  readonly conversions?: Conversions | undefined
  /** Today as YYYYMMDD. Without it the engine's own current date counts when the query runs. */
  readonly today?: number
  /** For a column with the notices of each row. */
  readonly notices?: NoticeOptions | undefined
  /** Columns of the source that are added to the result, under their own names. */
  readonly keep?: readonly string[]
}

interface SqlModel {
  readonly definition: ModelDefinition
  /** SHA-256 of the model's file, base64. */
  readonly digest: string
}

/** Throws NotInSql for a model that SQL cannot compute exactly. */
export function selectFor(definitions: Definitions, model: SqlModel, options: SelectOptions): string {
  const { dialect, source, output, keep = [] } = options
  const { definition, digest } = model
  const plan = makePlan(definitions, definition, options.conversions)
  const compiled = compileModel(definition, plan)
  const day = options.today && formatDate(options.today).split('-').reverse().join('-')
  const today = day === undefined ? dialect.currentDay : `DATE '${day}'`
  const query = new Query(dialect, plan, today)
  const { define } = query
  const identity = readIdentity(query, options)
  const slots: SlotList = plan.fields.map(({ name, domain, conversion }) => {
    const column = options.columns.get(name)
    const labelled: Query['define'] = (prefix, expression) => define(prefix, expression, name)
    return column
      ? readField({ query, dialect, today, define: labelled }, domain, column, conversion)
      : ABSENT
  })
  for (const [index, planned] of plan.scales.entries()) {
    const parts = plan.fields.flatMap(({ scale }, part) => (scale === index ? [part] : []))
    reconcileScale(query, lowerScale(plan, planned), parts, slots)
  }

  const wording = { query, idx: identity.text }
  const ofFields = slots.map((_slot, place) => problemsOf(wording, slots, place, compiled))
  const problems = [identity.problems, ...ofFields].filter((each) => each.exists !== FALSE)
  const isBlocked = define('b', or(...problems.map(({ blocks }) => blocks)), 'blocked')
  const score = scoreNode(compiled)
  const threshold = output.kind === 'number' ? undefined : output.threshold
  const answer = answerNode(definition, plan, threshold, score)
  const printer = new Printer(query, inputSlots(query, definition, compiled, slots), [answer])
  const risk = define('y', printAnswer(query, output, printer.number(answer)), 'risk')

  const isFaulty = define('e', or(...problems.map((each) => each.exists)), 'faulty')
  const texts = problems.map(({ text }) => text)
  const listed = define('m', when(isFaulty, join(texts, '\n        || ')), 'problems')
  const reason = sql`${dialect.string(REASONS.notComputable)}`
  const notComputable = printError(wording, { field: 'risk', item: 'Risk' }, reason)
  const isLost = and(not(isBlocked), sql`${risk} IS NULL`)
  const all = when(isLost, sql`coalesce(${listed}, '') || ${notComputable}`, listed)
  const message = define('m', all, 'all')
  const rules = options.notices && noticeRules(definitions, plan, definition, options.notices)
  const scored = rules && scoredSlots(query, compiled, slots, isBlocked)
  const notices = rules && scored && define('t', noticesOf(query, rules, scored), 'notices')
  const kept = keep.map((name) => {
    const column = define('z', sql`${dialect.identifier(name)}`)
    return `  ${column.text} AS ${dialect.identifier(name)}`
  })
  const said = notices === undefined ? [] : [`  ${notices.text} AS notices`]
  const { text: steps, last } = query.print(source)
  const answered = output.kind === 'number' ? 'number' : `yes-no, threshold ${output.threshold}`
  return [
    `-- ${definition.id}@${definition.version}, sha-256=:${digest}:, output ${answered}, for ${dialect.name}. Printed by patient-risk sql.`,
    steps,
    'SELECT',
    `  ${identity.output.text} AS idx,`,
    `  CASE WHEN NOT ${isBlocked.text} THEN ${risk.text} END AS risk,`,
    [`  '[' || substr(${message.text}, 2) || ']' AS error_message`, ...said, ...kept].join(',\n'),
    `FROM ${last}`,
    '',
  ].join('\n')
}

/** What enters the score: a usable value, or what the model states for absence. */
function inputSlots(
  { dialect, define, placeOf }: Query,
  { inputs }: ModelDefinition,
  { assumed }: CompiledModel,
  slots: SlotList,
): SlotList {
  const entering = [...slots]
  for (const name of Object.keys(inputs)) {
    const place = placeOf(name)
    const slot = slots[place] as Slot
    const fallback = assumed.find((each) => each.slot === place)?.value ?? Number.NaN
    const otherwise = Number.isNaN(fallback)
      ? `CAST(NULL AS ${dialect.doubleType})`
      : dialect.double(fallback)
    entering[place] = {
      value: define('u', when(isUsable(slot), slot.value, otherwise), name),
      state: when(isUsable(slot), slot.state, STATE.assumed),
      possible: new Set([STATE.valid, STATE.computed, STATE.assumed]),
    }
  }
  return entering
}

/** Up to here Yes is 1 and No is 0. */
function printAnswer({ dialect }: Query, output: Output, answer: Sql): Sql {
  if (output.kind === 'number') return answer
  return cases(
    [
      [1, dialect.string('Yes')],
      [0, dialect.string('No')],
    ],
    undefined,
    answer,
  )
}

interface Named {
  /** The idx as it is answered; NULL where it is not usable. */
  readonly output: Sql
  readonly isGiven: Sql
  /** As messages name the row. NULL where the idx is not usable. */
  readonly text: Sql
}

const PLACE = { field: 'idx', item: 'Idx' }

/** The identity of a row: its idx, an integer as in the service, or a column of any type instead. */
function readIdentity(
  query: Query,
  { columns, id, position, isRepeated: given }: SelectOptions,
): Pick<Named, 'output' | 'text'> & { readonly problems: Problems } {
  const { define, dialect } = query
  const { output, isGiven, ...own } =
    id === undefined ? readIdx(query, columns.get('idx')) : readId(query, id)
  const place =
    position === undefined ? sql`'null'` : sql`CAST(${define('p', sql`${position}`)} AS ${dialect.textType})`
  const text = sql`coalesce(${own.text}, ${place})`
  const isRepeated = given === undefined ? query.isRepeated(output) : define('r', sql`${given}`)
  const reason = (word: string): Sql => printError({ query, idx: text }, PLACE, sql`${dialect.string(word)}`)
  const isUnusable = sql`${output} IS NULL`
  const isWrong = or(isUnusable, isRepeated)
  const duplicate = when(isRepeated, reason(REASONS.duplicate), "''")
  const unusable = when(isUnusable, reason(REASONS.notAnInteger), duplicate)
  const problem = when(not(isGiven), printMissing(dialect, 'idx'), unusable)
  return { output, text, problems: { exists: isWrong, blocks: isWrong, text: problem } }
}

function readIdx(query: Query, column: Column | undefined): Named {
  const { define, dialect } = query
  if (column === undefined) {
    const output = define('idx', sql`CAST(NULL AS BIGINT)`)
    return { output, isGiven: FALSE, text: sql`CAST(NULL AS ${dialect.textType})` }
  }
  const { raw, isGiven } = rawColumn(query, column)
  const { MAX_SAFE_INTEGER: most } = Number
  const isInteger = column.type === 'integer'
  const number = isInteger ? raw : numberColumn(query, column, raw)
  const isIdx = and(sql`${number} BETWEEN -${most} AND ${most}`, isInteger ? TRUE : dialect.isWhole(number))
  const output = define('idx', when(isIdx, sql`CAST(${number} AS BIGINT)`))
  const text = sql`CAST(${output} AS ${dialect.textType})`
  return { output, isGiven: sql`coalesce(${isGiven}, FALSE)`, text }
}

/** An identifier of any type. An empty text is not an identifier. Its text is escaped, because it becomes part of JSON. */
function readId({ define, dialect }: Query, name: string): Named {
  const raw = sql`${dialect.identifier(name)}`
  const plain = sql`CAST(${raw} AS ${dialect.textType})`
  const output = define('idx', when(sql`${plain} <> ''`, raw))
  const slash = 'chr(92)'
  const quoted = sql`replace(replace(CAST(${output} AS ${dialect.textType}), ${slash}, ${slash} || ${slash}), '"', ${slash} || '"')`
  return { output, isGiven: sql`${output} IS NOT NULL`, text: dialect.withoutControls(quoted) }
}
