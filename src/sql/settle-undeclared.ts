/** A scale whose coding nobody can tell: its values are not used, and those that no single form has contradict each other. */
import type { ScalePlan } from '../engine/plan-scale.ts'
import { STATE } from '../engine/read/slots.ts'
import type { Dialect } from './dialect.ts'
import { type Slot, type SlotList, isStrange, neverThere, union, withState } from './slot.ts'
import { type Sql, type Stages, anyOf, cases, join, sql } from './stages.ts'

export function settleUndeclared(
  stages: Stages,
  dialect: Dialect,
  scale: ScalePlan,
  before: SlotList,
): SlotList {
  const slots = [...before]
  const carried = scale.codedSlots.flatMap((place) => {
    const slot = slots[place]
    return slot === undefined ? [] : [{ place, slot }]
  })
  /** By form and then by carried slot: whether the form does not have the value. */
  const isStranger = scale.forms.map((form) =>
    carried.map(({ place, slot }) => stages.define('q', isStrange(dialect, form, place, slot))),
  )
  const counts = isStranger.map((strangers) => {
    const ones = strangers.map((each) => cases([[each, 1]], 0))
    return stages.define('k', join(ones, ' + ', '0'))
  })
  const nearest = stages.define('k', firstSmallest(counts))
  carried.forEach(({ place, slot }, at) => {
    const strange = isStranger.map((strangers, form) => sql`${nearest} = ${form} AND ${strangers[at] as Sql}`)
    const state = cases(
      [
        [join(strange, ' OR ', 'FALSE'), STATE.otherCoding],
        [sql`${slot.state} = ${STATE.valid}`, STATE.untrusted],
      ],
      slot.state,
    )
    const can = union(slot.can, [STATE.otherCoding, STATE.untrusted])
    slots[place] = { ...slot, state: stages.define('s', state), can }
  })
  const isCarried = anyOf(carried.map(({ slot }) => sql`${slot.state} <> ${STATE.absent}`))
  if (isCarried === undefined) return slots
  const coding: Slot = slots[scale.codingSlot] ?? neverThere(dialect)
  const isUndeclared = sql`${coding.state} = ${STATE.absent} AND ${isCarried}`
  slots[scale.codingSlot] = withState(stages, coding, isUndeclared, STATE.undeclared)
  return slots
}

/** The index of the smallest number, the first of several. */
function firstSmallest(numbers: readonly Sql[]): Sql {
  const last = numbers.length - 1
  if (last < 1) return sql`0`
  const branches = numbers.slice(0, -1).map((number, index) => {
    const later = numbers.slice(index + 1).map((other) => sql`${number} <= ${other}`)
    return [join(later, ' AND '), index] as const
  })
  return cases(branches, last)
}
