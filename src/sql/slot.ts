/** What a row says of one field, as columns of the query: a state and a value, as in the engine. */
import type { Domain } from '../definition/domain.ts'
import type { FormPlan } from '../engine/plan-scale.ts'
import { STATE } from '../engine/read/slots.ts'
import type { Dialect } from './dialect.ts'
import { type Sql, type Stages, cases, join, sql } from './stages.ts'

export interface Slot {
  /** One of the engine's states. It is never NULL. */
  readonly state: Sql
  /** The number of a value; the text of a date. NULL if the field has no valid value. */
  readonly value: Sql
  /** The states that can occur. Nothing is printed for the others. */
  readonly can: ReadonlySet<number>
  /** The figure that the parts of a wrong total give, where it is another one; else NULL. */
  readonly disagreement?: Sql
}

/** Slots by number. A field without a column is undefined: it is absent in every row. */
export type SlotList = (Slot | undefined)[]

/** The slots of these places that some row may have. */
export function slotsAt(slots: SlotList, places: readonly number[]): readonly Slot[] {
  return places.flatMap((place) => slots[place] ?? [])
}

/** Whether the slot holds a number that may enter a computation. */
export function isUsable({ state, can }: Slot): Sql {
  return can.has(STATE.computed)
    ? sql`${state} IN (${STATE.valid}, ${STATE.computed})`
    : sql`${state} = ${STATE.valid}`
}

/** Whether a number is one of the domain's. NULL is not. */
export function permitsNumber(dialect: Dialect, domain: Domain, value: Sql, isKnownWhole = false): Sql {
  const { double, isWhole } = dialect
  const within = ({ from, to }: { readonly from: number; readonly to: number }): Sql =>
    sql`${value} BETWEEN ${double(from)} AND ${double(to)}`
  switch (domain.kind) {
    case 'integer':
      return isKnownWhole ? within(domain) : sql`${within(domain)} AND ${isWhole(value)}`
    case 'decimal':
      if (domain.step === undefined) return within(domain)
      return sql`${within(domain)} AND ${onStep(dialect, value, domain.step)}`
    case 'list': {
      // No IN: an engine may make a join of it, which is slower and loses the order of the rows.
      const runs = runsOf(domain.values).map((run) => {
        const { from, step, to } = run
        if (from === to) return sql`${value} = ${double(from)}`
        if (step === 1) return permitsNumber(dialect, { kind: 'integer', from, to }, value, isKnownWhole)
        // Only a number of the run is equal to what this gives, and for such a number every operation is exact.
        return sql`${within(run)} AND floor((${value} - ${double(from)}) / ${double(step)}) * ${double(step)} + ${double(from)} = ${value}`
      })
      return sql`(${join(runs, ' OR ', 'FALSE')})`
    }
    case 'code':
    case 'yesNo':
    case 'date':
      return sql`TRUE`
  }
}

/** As in the engine: a multiple of the step, counted in thousandths. */
function onStep({ double }: Dialect, value: Sql, step: number): Sql {
  const units = sql`floor(${value} * ${double(1_000)} + ${double(0.5)})`
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

/** The states of two slots that a row may be in. */
export function union(...sets: readonly Iterable<number>[]): ReadonlySet<number> {
  return new Set(sets.flatMap((set) => [...set]))
}

/** A field without a column, where a slot is needed all the same. */
export function neverThere({ doubleType }: Dialect): Slot {
  return { state: sql`0`, value: sql`CAST(NULL AS ${doubleType})`, can: new Set([STATE.absent]) }
}

/** Whether a slot holds a value that a form does not have. */
export function isStrange(dialect: Dialect, form: FormPlan, place: number, { state, value }: Slot): Sql {
  const domain: Domain | undefined = form.domains.get(place)
  const holds = domain === undefined ? sql`FALSE` : permitsNumber(dialect, domain, value)
  return sql`${state} = ${STATE.valid} AND NOT (${holds})`
}

export function withState(stages: Stages, slot: Slot, when: Sql, state: number): Slot {
  return {
    ...slot,
    state: stages.define('s', cases([[when, state]], slot.state)),
    can: union(slot.can, [state]),
  }
}
