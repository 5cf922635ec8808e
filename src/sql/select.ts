/** A model as one SELECT: `idx`, `risk` and `error_message` for each row of a table, as the service answers them. */
import type { Domain } from '../definition/domain.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { REASONS } from '../engine/judge/problem.ts'
import { type Conversions, type FieldPlan, type Knowledge, makePlan } from '../engine/plan.ts'
import type { ScalePlan } from '../engine/plan-scale.ts'
import { compileModel } from '../engine/score/model.ts'
import type { Output } from '../engine/scorer.ts'
import type { Dialect } from './dialect.ts'
import { type IdentityOptions, readIdentity } from './identity.ts'
import { printError, problemsOf } from './messages.ts'
import { type Input, scoreOf } from './points.ts'
import { type Reader, readField } from './read-field.ts'
import { riskOf } from './risk.ts'
import { settleScale } from './settle.ts'
import { type SlotList, isUsable } from './slot.ts'
import { Stages, anyOf, cases, join, sql } from './stages.ts'

export interface SelectOptions extends IdentityOptions {
  readonly dialect: Dialect
  /** What stands after FROM: a table's name, quoted where needed, or a query in parentheses with an alias. */
  readonly source: string
  readonly output: Output
  /** Fields that the deployment receives in another unit than their own. */
  readonly conversions?: Conversions | undefined
  /** Today as YYYYMMDD. Without it the engine's own current date counts when the query runs. */
  readonly today?: number
  /** Columns of the source that are answered beside the result, under their own names. */
  readonly keep?: readonly string[]
}

export interface SqlModel {
  readonly definition: ModelDefinition
  /** SHA-256 of the model's file, base64. */
  readonly digest: string
}

/** Throws NotInSql for a model that SQL cannot say exactly. */
export function selectFor(knowledge: Knowledge, model: SqlModel, options: SelectOptions): string {
  const { dialect, source, output, keep = [] } = options
  const { definition, digest } = model
  const plan = makePlan(knowledge, definition, options.conversions)
  const compiled = compileModel(definition, plan)
  const stages = new Stages(dialect.joinsLists)
  const today = options.today === undefined ? dialect.currentDay : dateLiteral(options.today)
  const readerOf = (name: string): Reader => {
    return { dialect, today, define: (prefix, expression) => stages.define(prefix, expression, name) }
  }
  const identity = readIdentity(readerOf(''), stages, options)
  const slots: SlotList = plan.fields.map(({ name, domain, conversion }) => {
    const column = options.columns.get(name)
    return column === undefined ? undefined : readField(readerOf(name), domain, column, conversion)
  })
  knowledge.scales.forEach((scale, index) =>
    settleScale({ plan, stages, dialect }, scale, plan.scales[index] as ScalePlan, slots),
  )

  const wording = { dialect, idx: identity.text }
  const problems = [
    ...identity.problems,
    ...plan.fields.flatMap((_field, place) => {
      const isRequired = compiled.required.includes(place)
      return problemsOf(wording, plan, slots, place, { isRequired, blocks: compiled.blocks(place) }) ?? []
    }),
  ]
  const blocking = anyOf(problems.flatMap(({ blocks }) => blocks ?? [])) ?? sql`FALSE`
  const isBlocked = stages.define('b', blocking, 'blocked')
  const assumed = new Map(compiled.assumed.map(({ slot, value }) => [slot, value]))
  /** What enters the score: a usable value, or what the model states for absence. */
  const inputs = new Map(
    Object.keys(definition.inputs).map((name): [string, Input] => {
      const place = plan.slotByName.get(name) as number
      const { domain } = plan.fields[place] as FieldPlan
      const fallback = assumed.get(place)
      const otherwise =
        fallback === undefined ? `CAST(NULL AS ${dialect.doubleType})` : dialect.double(fallback)
      const slot = slots[place]
      const isThere = slot === undefined ? sql`FALSE` : isUsable(slot)
      const value = slot === undefined ? sql`${otherwise}` : cases([[isThere, slot.value]], otherwise)
      return [name, { value: stages.define('u', value, name), isAssumed: sql`NOT ${isThere}`, domain }]
    }),
  )
  const score = stages.define('x', scoreOf(stages, dialect, definition, inputs), 'score')
  const domains = new Map([...inputs].map(([name, { domain }]): [string, Domain] => [name, domain]))
  const risk = stages.define('y', riskOf(stages, dialect, definition, domains, output, score), 'risk')

  const isFaulty = stages.define('e', anyOf(problems.map(({ when }) => when)) ?? sql`FALSE`, 'faulty')
  const texts = problems.map(({ text }) => text)
  const listed = stages.define('m', cases([[isFaulty, join(texts, '\n        || ', "''")]]), 'problems')
  const reason = sql`${dialect.string(REASONS.notComputable)}`
  const notComputable = printError(wording, { field: 'risk', item: 'Risk' }, undefined, reason)
  const isLost = sql`NOT ${isBlocked} AND ${risk} IS NULL`
  const all = cases([[isLost, sql`coalesce(${listed}, '') || ${notComputable}`]], listed)
  const message = stages.define('m', all, 'all')
  const kept = keep.map((name) => {
    const column = stages.define('z', sql`${dialect.identifier(name)}`)
    return `  ${column.text} AS ${dialect.identifier(name)}`
  })
  const { text: steps, last } = stages.print(source, dialect.stepOpen, dialect.stepClose)
  const answer = output.kind === 'number' ? 'number' : `yes-no, threshold ${output.threshold}`
  return [
    `-- ${definition.id}@${definition.version}, sha-256=:${digest}:, output ${answer}, for ${dialect.name}. Printed by patient-risk sql.`,
    steps,
    'SELECT',
    `  ${identity.output.text} AS idx,`,
    `  CASE WHEN NOT ${isBlocked.text} THEN ${risk.text} END AS risk,`,
    [`  '[' || substr(${message.text}, 2) || ']' AS error_message`, ...kept].join(',\n'),
    `FROM ${last}`,
    '',
  ].join('\n')
}

/** A day given as YYYYMMDD. */
function dateLiteral(day: number): string {
  const digits = String(day).padStart(8, '0')
  return `DATE '${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}'`
}
