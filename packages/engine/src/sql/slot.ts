/** One field of a row, as columns of the query: a state and a value, as in the engine. */
import { STATE } from '../plan/slots.ts'
import { FALSE, type Sql, TRUE, sql } from './fragment.ts'

export interface Slot {
  /** One of the engine's states. It is never NULL. */
  readonly state: Sql
  /** The number of a value; a date as YYYYMMDD. NULL if the field has no valid value. */
  readonly value: Sql
  /** Of a date: as it is written. */
  readonly text?: Sql
  /** The states that can occur. Nothing is printed for the others. */
  readonly possible: ReadonlySet<number>
  /** The figure that the parts of an invalid total give, if it differs; else NULL. */
  readonly disagreement?: Sql
}

/** A field without a column: it is absent in every row. */
export const ABSENT: Slot = { state: sql`0`, value: sql`NULL`, possible: new Set([STATE.absent]) }

export type SlotList = Slot[]

export function isIn({ state, possible }: Slot, ...states: readonly number[]): Sql {
  const wanted = states.filter((each) => possible.has(each))
  if (wanted.length === 0) return FALSE
  if (wanted.length === possible.size) return TRUE
  const lowest = Math.min(...wanted)
  const others = [...possible].filter((each) => !wanted.includes(each))
  if (wanted.length > 1 && Math.max(...others) < lowest) return sql`${state} >= ${lowest}`
  const list = wanted.join(', ')
  return wanted.length === 1 ? sql`${state} = ${list}` : sql`${state} IN (${list})`
}

/** Whether the state is one of these, each of which is a bit. */
export function isInStates(slot: Slot, states: number): Sql {
  return isIn(slot, ...[...slot.possible].filter((state) => (states >> state) & 1))
}

/** States are ordered: the higher, the less of the value can be used. */
export function isFrom({ state, possible }: Slot, first: number): Sql {
  return Math.max(...possible) >= first ? sql`${state} >= ${first}` : FALSE
}

/** Whether the slot holds a number that may enter a computation. */
export function isUsable(slot: Slot): Sql {
  return isIn(slot, STATE.valid, STATE.computed)
}
