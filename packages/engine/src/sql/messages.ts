/** The problems of a row as the text of `error_message`. The engine writes them; only the gaps are filled in here. */
import { ALWAYS_BLOCKING } from '../judge/judge.ts'
import { printProblem, reasonOf, valueError, valueMissing } from '../judge/problem.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { FIRST_INVALID, STATE, type State } from '../plan/slots.ts'
import type { CompiledModel } from '../score/model.ts'
import type { Dialect } from './dialect.ts'
import { FALSE, type Sql, cases, join, or, sql, when } from './fragment.ts'
import type { Query } from './query.ts'
import { ABSENT, type Slot, type SlotList, isFrom, isIn } from './slot.ts'

/** Placeholders for the values of a row while the engine writes a message. No definition contains them. */
const IDX = -8_007_199_254_740_991
const DATE = '00-00-0000'
const REASON = 'REASON-OF-THE-ROW'
const FIGURE = 8_123_456_789

export interface Problems {
  readonly exists: Sql
  /** Whether it keeps the row from being scored. */
  readonly blocks: Sql
  /** The problems as elements of an array, each after a comma. An empty text if the row has no problem. */
  readonly text: Sql
}

interface Wording {
  readonly query: Query
  /** The idx of a row as messages print it, or its position. */
  readonly idx: Sql
}

/** A message of the engine with the date, idx and reason of the row. */
export function printError(
  { query, idx }: Wording,
  place: { readonly field: string; readonly item: string },
  reason: Sql,
  date = sql`''`,
): Sql {
  const hasDate = date.text !== "''"
  const problem = valueError({ ...place, date: hasDate ? DATE : '', idx: IDX }, REASON, true)
  const gaps = { [IDX]: idx, [REASON]: reason, ...(hasDate && { [DATE]: date }) }
  return filled(query.dialect, `,${printProblem(problem)}`, gaps)
}

export function printMissing(dialect: Dialect, field: string): Sql {
  return sql`${dialect.string(`,${printProblem(valueMissing(field, true))}`)}`
}

export function problemsOf(wording: Wording, slots: SlotList, place: number, model: CompiledModel): Problems {
  const { dialect, plan } = wording.query
  const { name: field, item, scale } = plan.fields[place] as FieldPlan
  const slot = slots[place] as Slot
  const { possible, disagreement = sql`NULL` } = slot
  const wrong = [...possible].filter((each) => each >= FIRST_INVALID && each !== STATE.undeclared)
  const isMissing = model.required.includes(place) ? isIn(slot, STATE.absent) : FALSE
  const isUndeclared = isIn(slot, STATE.undeclared)
  const isWrong = wrong.length === 0 ? FALSE : isFrom(slot, FIRST_INVALID)
  const disagrees = disagreement.text === 'NULL' ? FALSE : sql`${disagreement} IS NOT NULL`
  const date = dateOf(plan, slots, place, scale)
  const error = (reason: Sql): Sql => printError(wording, { field, item }, reason, date)
  const own = error(reasonFor(dialect, slot, wrong))
  const second = when(disagrees, error(sumReason(dialect, disagreement)), "''")
  const texts = disagrees === FALSE ? own : sql`${own} || ${second}`
  return {
    exists: or(isMissing, isUndeclared, isWrong),
    blocks: or(
      isMissing,
      ...(model.blocks(place) ? [isUndeclared, isWrong] : [isIn(slot, ...ALWAYS_BLOCKING), disagrees]),
    ),
    text: when(or(isMissing, isUndeclared), printMissing(dialect, field), when(isWrong, texts, "''")),
  }
}

/** The date of a problem's scale where it is valid. A problem on the date itself has none. */
function dateOf(plan: Plan, slots: SlotList, place: number, scale: number): Sql {
  const dateSlot = plan.scales[scale]?.dateSlot ?? -1
  const date = (dateSlot === place ? undefined : slots[dateSlot]) ?? ABSENT
  return when(isIn(date, STATE.valid), date.text ?? "''", "''")
}

function reasonFor(dialect: Dialect, { state, value }: Slot, wrong: readonly number[]): Sql {
  const reasons = wrong.map((each): [number, Sql] => {
    const reason = dialect.string(reasonOf(each as State, 0))
    return [each, each === STATE.mismatch ? sumReason(dialect, value) : sql`${reason}`]
  })
  return reasons.length === 1 ? (reasons[0] as [number, Sql])[1] : cases(reasons, undefined, state)
}

/** Figures have at most six decimals. */
function sumReason(dialect: Dialect, figure: Sql): Sql {
  return filled(dialect, reasonOf(STATE.mismatch, FIGURE), { [FIGURE]: dialect.figureText(figure) })
}

function filled(dialect: Dialect, text: string, gaps: Readonly<Record<string, Sql>>): Sql {
  // Splitting at a pattern in parentheses keeps what it matched.
  const pieces = text.split(new RegExp(`(${Object.keys(gaps).join('|')})`)).filter((piece) => piece !== '')
  const printed = pieces.map((piece) => gaps[piece] ?? dialect.string(piece))
  return join(printed, ' || ', "''")
}
