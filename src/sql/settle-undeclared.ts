/** A scale whose coding nobody can tell: its values are not used, and those that no single form has contradict each other. */
import type { ScalePlan } from '../engine/plan-scale.ts'
import { STATE } from '../engine/read/slots.ts'
import { type SettleTools, type Slot, type SlotList, holdsIn, neverThere, union, withState } from './slot.ts'
import { type Sql, anyOf, join, sql } from './stages.ts'

export function settleUndeclared(tools: SettleTools, scale: ScalePlan, before: SlotList): SlotList {
  const { stages, dialect } = tools
  const slots = [...before]
  const carried = scale.codedSlots.filter((place) => slots[place] !== undefined)
  const isStranger = scale.forms.map(
    (form) =>
      new Map(
        carried.map((place) => {
          const slot = slots[place] as Slot
          return [
            place,
            stages.define(
              'q',
              sql`${slot.state} = ${STATE.valid} AND NOT (${holdsIn(dialect, form, place, slot)})`,
            ),
          ]
        }),
      ),
  )
  const counts = isStranger.map((strangers) =>
    stages.define(
      'k',
      join(
        [...strangers.values()].map((each) => sql`CASE WHEN ${each} THEN 1 ELSE 0 END`),
        ' + ',
        '0',
      ),
    ),
  )
  const nearest = stages.define('k', firstSmallest(counts))
  for (const place of carried) {
    const slot = slots[place] as Slot
    const strange = isStranger.map(
      (strangers, index) => sql`${nearest} = ${index} AND ${strangers.get(place) as Sql}`,
    )
    const state = stages.define(
      's',
      sql`CASE WHEN ${join(strange, ' OR ', 'FALSE')} THEN ${STATE.otherCoding} WHEN ${slot.state} = ${STATE.valid} THEN ${STATE.untrusted} ELSE ${slot.state} END`,
    )
    slots[place] = { ...slot, state, can: union(slot.can, [STATE.otherCoding, STATE.untrusted]) }
  }
  const anyCarried = anyOf(carried.map((place) => sql`${(before[place] as Slot).state} <> ${STATE.absent}`))
  if (anyCarried === undefined) return slots
  const coding = slots[scale.codingSlot] ?? neverThere(dialect)
  slots[scale.codingSlot] = withState(
    tools,
    coding,
    sql`${coding.state} = ${STATE.absent} AND ${anyCarried}`,
    STATE.undeclared,
  )
  return slots
}

/** The index of the smallest number, the first of several. */
function firstSmallest(numbers: readonly Sql[]): Sql {
  const branches = numbers.slice(0, -1).map((number, index) => {
    const later = numbers.slice(index + 1).map((other) => sql`${number} <= ${other}`)
    return sql`WHEN ${join(later, ' AND ', 'TRUE')} THEN ${index}`
  })
  if (branches.length === 0) return sql`0`
  return sql`CASE ${join(branches, ' ', '')} ELSE ${numbers.length - 1} END`
}
