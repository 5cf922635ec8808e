/** Fills slots from a parsed JSON object, in one walk over the keys that the object has. */
import { isOnStep } from '../definition/domain.ts'
import { meaningOf } from '../plan/codes.ts'
import type { FieldPlan, Plan, ValueCheck } from '../plan/plan.ts'
import { EARLIEST_DATE, parseDate } from './calendar.ts'
import { STATE, type Slots } from '../plan/slots.ts'

/** What a record says in addition to its slots. */
export interface RecordExtras {
  /** The raw `idx`, whatever it is; undefined if there is no such key. */
  idx: unknown
  keys: number
  /** Names that no field has and that must be reported, in the order of the record. */
  readonly unknown: string[]
}

export type JsonObject = Readonly<Record<string, unknown>>

export function readRecord(
  plan: Plan,
  record: JsonObject,
  slots: Slots,
  extras: RecordExtras,
  options: { readonly today: number; readonly reportUnknown: boolean },
): void {
  let keys = 0
  extras.idx = undefined
  extras.unknown.length = 0
  for (const key in record) {
    keys++
    const value = record[key]
    const slot = plan.slotByName.get(key)
    if (slot !== undefined) {
      if (value !== null) fillField(plan, slot, value, slots, options.today)
    } else if (key === 'idx') extras.idx = value
    else if (shouldReport(plan, key, options.reportUnknown)) extras.unknown.push(key)
  }
  extras.keys = keys
}

/**
 * Puts one value, neither absent nor null, into the slot of its field; `today` is YYYYMMDD. The type is checked, never
 * converted: `"75"` is not 75, and `true` is not 1.
 */
export function fillField(plan: Plan, slot: number, given: unknown, slots: Slots, today: number): void {
  const { check, scale, conversion, received } = plan.fields[slot] as FieldPlan
  const meaning = received === undefined ? undefined : meaningOf(received, given)
  // A code that stands for no value: the field counts as absent.
  if (meaning === null) return
  if (scale >= 0) slots.carry(scale)
  if (received !== undefined) {
    if (meaning === undefined) slots.refuseCode(slot, given)
    else slots.set(slot, STATE.valid, meaning)
    return
  }
  const isConverted = conversion !== undefined && typeof given === 'number'
  const value = isConverted ? (given * conversion.times) / conversion.per : given
  switch (check.kind) {
    case 'integer':
      if (typeof value !== 'number') slots.refuse(slot, STATE.notAnInteger, 0, given)
      else if (value >= check.from && value <= check.to) {
        slots.set(slot, Number.isInteger(value) ? STATE.valid : STATE.notAnInteger, value)
      } else slots.set(slot, isFraction(value) ? STATE.notAnInteger : STATE.outOfRange, value)
      return
    case 'decimal': {
      if (typeof value !== 'number') slots.refuse(slot, STATE.notANumber, Number.NaN, given)
      else slots.set(slot, isPermitted(check, value) ? STATE.valid : STATE.outOfRange, value)
      return
    }
    case 'list':
      // A number that is wrong is kept, since a total must coincide with its items also where it is out of range.
      if (typeof value !== 'number') {
        slots.refuse(slot, check.whole ? STATE.notAnInteger : STATE.notANumber, Number.NaN, given)
      } else if (check.values.has(value)) slots.set(slot, STATE.valid, value)
      else slots.set(slot, check.whole && isFraction(value) ? STATE.notAnInteger : STATE.outOfRange, value)
      return
    case 'code': {
      const code = typeof value === 'string' ? check.codes.get(value) : undefined
      if (code === undefined) slots.refuseCode(slot, value)
      else slots.set(slot, STATE.valid, code)
      return
    }
    case 'yesNo':
      if (typeof value !== 'boolean') slots.refuseCode(slot, value)
      else slots.set(slot, STATE.valid, value ? 1 : 0)
      return
    case 'date': {
      const date = typeof value === 'string' ? parseDate(value) : undefined
      if (date === undefined) slots.refuse(slot, STATE.notADate, 0, given)
      else if (date < EARLIEST_DATE) slots.set(slot, STATE.outOfRange, date)
      else slots.set(slot, date > today ? STATE.dateInFuture : STATE.valid, date)
      return
    }
  }
}

/**
 * Whether a name that no field has is a problem: all of them where the deployment says so, and always a near miss, which a
 * person meant as one of ours. It has a known scale's prefix, or differs only in case.
 */
export function shouldReport(plan: Plan, name: string, reportUnknown: boolean): boolean {
  const end = name.indexOf('_')
  if (reportUnknown || (end > 0 && plan.scaleByPrefix.has(name.slice(0, end)))) return true
  return plan.lowerNames.has(name.toLowerCase())
}

function isPermitted({ from, to, step }: ValueCheck, value: number): boolean {
  return value >= from && value <= to && (step === undefined || isOnStep(value, step))
}

// JSON's 1e400 reads as Infinity: far out of range, and no fraction.
function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value)
}
