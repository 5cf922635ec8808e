/** The answer for a row as columns of a query: its idx, its risk, its problems and its notices. */
import type { ModelDefinition } from '../definition/model.ts'
import { type NoticeOptions, noticeRules } from '../rules/notice-rules.ts'
import { lowerScale } from '../judge/lower-scale.ts'
import { REASONS } from '../judge/problem.ts'
import type { Definitions } from '../plan/plan.ts'
import { STATE } from '../plan/slots.ts'
import { answerNode } from '../score/answer.ts'
import { type CompiledModel, compileModel, scoreNode } from '../score/model.ts'
import type { Output } from '../scorer.ts'
import { FALSE, type Sql, and, cases, join, not, or, sql, when } from './fragment.ts'
import { printError, problemsOf } from './messages.ts'
import { noticesOf, scoredSlots } from './notices.ts'
import { reconcileScale } from './print-assignment.ts'
import { Printer } from './print-expression.ts'
import type { Query } from './query.ts'
import { readField } from './read-field.ts'
import { type IdentityOptions, readIdentity } from './read-identity.ts'
import { ABSENT, type Slot, type SlotList, isUsable } from './slot.ts'

export interface AnswerOptions extends IdentityOptions {
  readonly output: Output
  /** Whether there is a column `number` with the risk, for answers of Yes and No. */
  readonly hasNumber?: boolean | undefined
  /** For a column with the notices of each row. */
  readonly notices?: NoticeOptions | undefined
}

/** The expressions of a result by the names of their columns. */
export type ResultColumns = readonly (readonly [string, Sql])[]

/** `idx` first, then what the engine says of the row. */
export function printRowAnswer(
  query: Query,
  definitions: Definitions,
  definition: ModelDefinition,
  options: AnswerOptions,
): ResultColumns {
  const { define, dialect, plan, today } = query
  const { output } = options
  const compiled = compileModel(definition, plan)
  const identity = readIdentity(query, options)
  const slots: SlotList = plan.fields.map((field) => {
    const column = options.columns.get(field.name)
    const labelled: Query['define'] = (prefix, expression) => define(prefix, expression, field.name)
    return column ? readField({ query, dialect, today, define: labelled }, field, column) : ABSENT
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
  const number = options.hasNumber === true ? answerNode(definition, plan, undefined, score) : undefined
  const printed = number === undefined ? [answer] : [answer, number]
  const printer = new Printer(query, inputSlots(query, definition, compiled, slots), printed)
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
  return [
    ['idx', identity.output],
    ['risk', sql`CASE WHEN NOT ${isBlocked} THEN ${risk} END`],
    ['error_message', sql`'[' || substr(${message}, 2) || ']'`],
    ...(notices === undefined ? [] : [['notices', notices] as const]),
    ...(number === undefined
      ? []
      : [['number', sql`CASE WHEN NOT ${isBlocked} THEN ${printer.number(number)} END`] as const]),
  ]
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
