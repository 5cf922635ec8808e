/** The problems of a row as the text of `error_message`. The engine words them; here only the gaps are filled. */
import { printProblem, reasonOf, valueError, valueMissing } from '../engine/judge/problem.ts'
import type { FieldPlan, Plan } from '../engine/plan.ts'
import { FIRST_INVALID, STATE, type State } from '../engine/read/slots.ts'
import type { Dialect } from './dialect.ts'
import type { Slot, SlotList } from './slot.ts'
import { type Sql, anyOf, cases, join, sql } from './stages.ts'

/** What takes the place of a row's own words while the engine words a problem. No definition has such words. */
const IDX = -8_007_199_254_740_991
const DATE = '00-00-0000'
const REASON = 'REASON-OF-THE-ROW'
const FIGURE = 8_123_456_789

/** States that keep a row from being scored wherever they occur: it contradicts itself. */
const ALWAYS_BLOCKING: readonly number[] = [STATE.givenTwice, STATE.mismatch, STATE.otherCoding]

export interface Problems {
  /** Whether a row has a problem at all. */
  readonly when: Sql
  /** Whether it keeps the row from being scored; undefined when none of these does. */
  readonly blocks: Sql | undefined
  /** The problems as elements of an array, each after a comma. An empty text if the row has no problem. */
  readonly text: Sql
}

interface Wording {
  readonly dialect: Dialect
  /** The idx of a row as it stands in messages, or its position. */
  readonly idx: Sql
}

/** A problem with words of the engine, whose date, idx and reason the row fills in. */
export function printError(
  { dialect, idx }: Wording,
  place: { readonly field: string; readonly item: string },
  date: Sql | undefined,
  reason: Sql,
): Sql {
  const problem = valueError({ ...place, date: date === undefined ? '' : DATE, idx: IDX }, REASON, true)
  const gaps = new Map([
    [String(IDX), idx],
    [REASON, reason],
    ...(date === undefined ? [] : [[DATE, date] as const]),
  ])
  return filled(dialect, `,${printProblem(problem)}`, gaps)
}

export function printMissing(dialect: Dialect, field: string): Sql {
  return sql`${dialect.string(`,${printProblem(valueMissing(field, true))}`)}`
}

/** The problems of one field. Undefined when it can have none. */
export function problemsOf(
  wording: Wording,
  plan: Plan,
  slots: SlotList,
  place: number,
  model: { readonly isRequired: boolean; readonly blocks: boolean },
): Problems | undefined {
  const { dialect } = wording
  const { name: field, item, scale } = plan.fields[place] as FieldPlan
  const missing = printMissing(dialect, field)
  const slot = slots[place]
  if (slot === undefined)
    return model.isRequired ? { when: sql`TRUE`, blocks: sql`TRUE`, text: missing } : undefined
  const { state, can, disagreement } = slot
  const wrong = [...can].filter((each) => each >= FIRST_INVALID && each !== STATE.undeclared)
  const date = dateOf(plan, slots, place, scale)
  const error = (reason: Sql): Sql => printError(wording, { field, item }, date, reason)
  const branches: { readonly when: Sql; readonly isBlocking: boolean; readonly text: Sql }[] = []
  if (model.isRequired)
    branches.push({ when: sql`${state} = ${STATE.absent}`, isBlocking: true, text: missing })
  if (can.has(STATE.undeclared)) {
    branches.push({ when: sql`${state} = ${STATE.undeclared}`, isBlocking: model.blocks, text: missing })
  }
  if (wrong.length > 0) {
    const own = error(reasonFor(dialect, slot, wrong))
    const text =
      disagreement === undefined
        ? own
        : sql`${own} || ${cases([[sql`${disagreement} IS NOT NULL`, error(sumReason(dialect, disagreement))]], "''")}`
    branches.push({ when: sql`${state} >= ${FIRST_INVALID}`, isBlocking: model.blocks, text })
  }
  if (branches.length === 0) return undefined
  const always = wrong.filter((each) => ALWAYS_BLOCKING.includes(each))
  return {
    when: anyOf(branches.map(({ when }) => when)) as Sql,
    blocks: anyOf([
      ...branches.filter(({ isBlocking }) => isBlocking).map(({ when }) => when),
      ...(model.blocks || always.length === 0 ? [] : [sql`${state} IN (${always.join(', ')})`]),
      ...(disagreement === undefined || model.blocks ? [] : [sql`${disagreement} IS NOT NULL`]),
    ]),
    text: cases(
      branches.map(({ when, text }) => [when, text]),
      "''",
    ),
  }
}

/** The date of a problem's scale where it is valid. A problem on the date itself has none. */
function dateOf(plan: Plan, slots: SlotList, place: number, scale: number): Sql | undefined {
  const dateSlot = plan.scales[scale]?.dateSlot ?? -1
  const date = dateSlot === place ? undefined : slots[dateSlot]
  if (date?.can.has(STATE.valid) !== true) return undefined
  return sql`CASE WHEN ${date.state} = ${STATE.valid} THEN ${date.value} ELSE '' END`
}

function reasonFor(dialect: Dialect, { state, value }: Slot, wrong: readonly number[]): Sql {
  const reasons = wrong.map((each) => {
    const isSum = each === STATE.mismatch
    return [
      each,
      isSum ? sumReason(dialect, value) : sql`${dialect.string(reasonOf(each as State, 0))}`,
    ] as const
  })
  const [[, only] = [0, sql``], ...others] = reasons
  return others.length === 0 ? only : cases(reasons, undefined, state)
}

/** Figures have at most six decimals. Engines print 12.0 for a double, where the message says 12. */
function sumReason(dialect: Dialect, figure: Sql): Sql {
  const decimal = sql`CAST(CAST(${figure} AS DECIMAL(18, 6)) AS ${dialect.textType})`
  const number = sql`trim(TRAILING '.' FROM trim(TRAILING '0' FROM ${decimal}))`
  return filled(dialect, reasonOf(STATE.mismatch, FIGURE), new Map([[String(FIGURE), number]]))
}

/** A text in which some words are replaced by what a row says. */
function filled(dialect: Dialect, text: string, gaps: ReadonlyMap<string, Sql>): Sql {
  // Splitting at a pattern in parentheses keeps what it matched.
  const pieces = text.split(new RegExp(`(${[...gaps.keys()].join('|')})`)).filter((piece) => piece !== '')
  return join(
    pieces.map((piece) => gaps.get(piece) ?? dialect.string(piece)),
    ' || ',
    "''",
  )
}
