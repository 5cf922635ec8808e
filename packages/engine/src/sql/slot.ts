/** One field of a row, as columns of the query: a state and a value, as in the engine. */
import type { Domain } from '../definition/domain.ts'
import { STATE } from '../plan/slots.ts'
import type { DerivedDefinition } from '../definition/scale.ts'
import type { Dialect } from './dialect.ts'
import { FALSE, type Sql, TRUE, and, or, sql } from './fragment.ts'
import type { Query } from './query.ts'

export interface Slot {
  /** One of the engine's states. It is never NULL. */
  readonly state: Sql
  /** The number of a value; the text of a date. NULL if the field has no valid value. */
  readonly value: Sql
  /** The states that can occur. Nothing is printed for the others. */
  readonly possible: ReadonlySet<number>
  /** The figure that the parts of an invalid total give, if it differs; else NULL. */
  readonly disagreement?: Sql
}

/** A field without a column: it is absent in every row. */
export const ABSENT: Slot = { state: sql`0`, value: sql`NULL`, possible: new Set([STATE.absent]) }

export type SlotList = Slot[]

/** What a figure of a scale is made from. */
export interface Tools {
  readonly query: Query
  readonly slots: SlotList
  /** The id of the scale. */
  readonly id: string
  /** How its parts follow from each other. */
  readonly computed?: Readonly<Record<string, DerivedDefinition>>
}

export interface Figure {
  readonly value: Sql
  readonly isComplete: Sql
  /** Whether the given parts decide the figure, where they may do so before all of them are there. */
  readonly isDecided?: Sql
}

/** The slots of these places that some row may have. */
export function slotsAt(slots: SlotList, places: readonly number[]): readonly Slot[] {
  return places.map((place) => slots[place] as Slot).filter((slot) => slot !== ABSENT)
}

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

/** Whether a number is one of the domain's. NULL is not. */
export function permitsNumber(dialect: Dialect, domain: Domain, value: Sql, isKnownWhole = false): Sql {
  const { double, isWhole } = dialect
  const within = ({ from, to }: { readonly from: number; readonly to: number }): Sql =>
    sql`${value} BETWEEN ${double(from)} AND ${double(to)}`
  switch (domain.kind) {
    case 'integer':
      return and(within(domain), isKnownWhole ? TRUE : isWhole(value))
    case 'decimal':
      return and(within(domain), domain.step === undefined ? TRUE : onStep(dialect, value, domain.step))
    case 'list': {
      // No IN: an engine may make a join of it, which is slower and loses the order of the rows.
      const runs = runsOf(domain.values).map((run) => {
        const { from, step, to } = run
        if (from === to) return sql`${value} = ${double(from)}`
        if (step === 1) return permitsNumber(dialect, { kind: 'integer', from, to }, value, isKnownWhole)
        // Only a number of the run is equal to what this gives, and for such a number every operation is exact.
        const steps = sql`floor((${value} - ${double(from)}) / ${double(step)})`
        return and(within(run), sql`${steps} * ${double(step)} + ${double(from)} = ${value}`)
      })
      return or(...runs)
    }
    case 'code':
    case 'yesNo':
    case 'date':
      return TRUE
  }
}

/** How many thousandths a number has, or how many of another unit; rounded as in the engine. */
export function inUnits({ double }: Pick<Dialect, 'double'>, value: Sql, perOne = 1_000): Sql {
  return sql`floor((${value}) * ${double(perOne)} + ${double(0.5)})`
}

export function rounded(query: Query, value: Sql, decimals: number): Sql {
  return sql`${inUnits(query, value, 10 ** decimals)} / ${query.double(10 ** decimals)}`
}

/** As in the engine: a multiple of the step, counted in thousandths. */
function onStep(dialect: Dialect, value: Sql, step: number): Sql {
  const { double } = dialect
  const units = inUnits(dialect, value)
  const width = double(Math.round(step * 1_000))
  return sql`${units} / ${double(1_000)} = ${value} AND floor(${units} / ${width}) * ${width} = ${units}`
}

/** Ascending numbers as runs with even steps of halves, which are exact in binary. */
function runsOf(values: readonly number[]): readonly { from: number; step: number; to: number }[] {
  const runs: { from: number; step: number; to: number }[] = []
  const isExact = (value: number): boolean => Number.isInteger(value * 2)
  for (const value of values) {
    const { from, step, to } = runs[runs.length - 1] ?? { from: Number.NaN, step: 0, to: 0 }
    const continues = isExact(from) && isExact(value) && (from === to || value - to === step)
    if (continues) runs[runs.length - 1] = { from, step: value - to, to: value }
    else runs.push({ from: value, step: 0, to: value })
  }
  return runs
}
