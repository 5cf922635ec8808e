/** Fills slots from a parsed JSON object. It asks only for the keys that the object has. */
import { countKeys } from './count-keys.ts'
import { fill } from './fill.ts'
import type { FieldPlan, Plan } from '../plan.ts'
import type { Slots } from './slots.ts'

/** What a record says beside its slots. */
export interface Reading {
  /** The raw `idx`, whatever it is; undefined when there is none. */
  idx: unknown
  /** How many keys the record has, and how many with those of nested objects. */
  keys: number
  nestedKeys: number
  /** Names that no field has and that are worth a problem. Filled in the order of the record. */
  readonly unknown: string[]
}

export function newReading(): Reading {
  return { idx: undefined, keys: 0, nestedKeys: 0, unknown: [] }
}

export type JsonObject = Readonly<Record<string, unknown>>

export function readRecord(
  plan: Plan,
  record: JsonObject,
  slots: Slots,
  reading: Reading,
  options: { readonly today: number; readonly reportUnknown: boolean },
): void {
  reading.idx = undefined
  reading.keys = 0
  reading.nestedKeys = 0
  reading.unknown.length = 0
  for (const key in record) {
    reading.keys++
    const value = record[key]
    if (typeof value === 'object' && value !== null) reading.nestedKeys += countKeys(value)
    const slot = plan.slotByName.get(key)
    if (slot !== undefined) {
      if (value !== null) fillField(plan, slot, value, slots, options.today)
    } else if (key === 'idx') reading.idx = value
    else if (isWorthTelling(plan, key, options.reportUnknown)) reading.unknown.push(key)
  }
}

/** Puts a value that is there into the slot of its field. */
export function fillField(plan: Plan, slot: number, value: unknown, slots: Slots, today: number): void {
  const field = plan.fields[slot] as FieldPlan
  if (field.scale >= 0) slots.carry(field.scale)
  fill(slots, slot, field.domain, value, today)
}

/** Whether a name that no field has is a problem: all of them where the deployment says so, and always a near miss. */
export function isWorthTelling(plan: Plan, name: string, reportUnknown: boolean): boolean {
  return reportUnknown || isNearMiss(plan, name)
}

/** A name that a person meant as one of ours: it has a known scale's prefix, or differs only in case. */
function isNearMiss(plan: Plan, name: string): boolean {
  const end = name.indexOf('_')
  if (end > 0 && plan.scaleByPrefix.has(name.slice(0, end))) return true
  return plan.lowerNames.has(name.toLowerCase())
}
