/** The notices of a row as a text of codes and fields, `outside-data:age; assumed:stayDays`. */
import { or } from '../expression/build.ts'
import type { NoticeRule } from '../rules/notice-rules.ts'
import type { FieldPlan } from '../plan/plan.ts'
import { STATE } from '../plan/slots.ts'
import type { CompiledModel } from '../score/model.ts'
import { FALSE, type Sql, and, join, not, sql, when } from './fragment.ts'
import { Printer } from './print-expression.ts'
import type { Query } from './query.ts'
import { type Slot, type SlotList, isUsable } from './slot.ts'

/** NULL where there is nothing to say. The slots are those of a row that has been judged and, if it is not blocked, scored. */
export function noticesOf(query: Query, rules: readonly NoticeRule[], slots: SlotList): Sql {
  const { plan, dialect, define } = query
  const holding = rules.map((rule) => ({ ...rule, holds: or(...rule.cases.map((each) => each.when)) }))
  const printer = new Printer(
    query,
    slots,
    holding.map(({ holds }) => holds),
  )
  const texts = holding.flatMap(({ code, slot, holds }) => {
    const condition = printer.condition(holds)
    const { name } = plan.fields[slot] as FieldPlan
    return condition.text === FALSE.text ? [] : [when(condition, dialect.string(`; ${code}:${name}`), "''")]
  })
  const all = define('t', join(texts, '\n        || ', "''"), 'notices')
  return sql`nullif(substr(${all}, 3), '')`
}

/** The slots of a row after scoring: in one that is not blocked, the model's stand-ins have taken their places. */
export function scoredSlots(
  { define }: Query,
  { assumed }: CompiledModel,
  slots: SlotList,
  isBlocked: Sql,
): SlotList {
  const scored = [...slots]
  for (const { slot: place } of assumed) {
    const slot = slots[place] as Slot
    const isAssumed = and(not(isBlocked), not(isUsable(slot)))
    const possible = new Set([...slot.possible, STATE.assumed])
    scored[place] = { ...slot, state: define('s', when(isAssumed, STATE.assumed, slot.state)), possible }
  }
  return scored
}
