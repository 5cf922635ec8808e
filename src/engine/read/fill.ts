/** Puts one value into its slot. The type is looked at, never converted: `"75"` is not 75, and `true` is not 1. */
import type { Domain } from '../../definition/domain.ts'
import { parseDate } from './calendar.ts'
import { STATE, type Slots } from './slots.ts'

/** The value is neither absent nor null; `today` is YYYYMMDD. */
export function fill(slots: Slots, slot: number, domain: Domain, value: unknown, today: number): void {
  switch (domain.kind) {
    case 'integer':
      if (typeof value !== 'number') slots.set(slot, STATE.notAnInteger, 0)
      else if (value >= domain.from && value <= domain.to) {
        slots.set(slot, Number.isInteger(value) ? STATE.valid : STATE.notAnInteger, value)
      } else slots.set(slot, isFraction(value) ? STATE.notAnInteger : STATE.outOfRange, 0)
      return
    case 'decimal':
      if (typeof value !== 'number') slots.set(slot, STATE.notANumber, Number.NaN)
      else slots.set(slot, value >= domain.from && value <= domain.to ? STATE.valid : STATE.outOfRange, value)
      return
    case 'list':
      // A number that is wrong is kept, since a total must coincide with its items also where it is out of range.
      if (typeof value !== 'number') {
        slots.set(slot, domain.whole ? STATE.notAnInteger : STATE.notANumber, Number.NaN)
      } else if (domain.values.includes(value)) slots.set(slot, STATE.valid, value)
      else slots.set(slot, domain.whole && isFraction(value) ? STATE.notAnInteger : STATE.outOfRange, value)
      return
    case 'code': {
      const code = typeof value === 'string' ? domain.codes.get(value) : undefined
      slots.set(slot, code === undefined ? STATE.notPermitted : STATE.valid, code ?? 0)
      return
    }
    case 'yesNo':
      slots.set(slot, typeof value === 'boolean' ? STATE.valid : STATE.notPermitted, value === true ? 1 : 0)
      return
    case 'date': {
      const date = typeof value === 'string' ? parseDate(value) : undefined
      if (date === undefined) slots.set(slot, STATE.notADate, 0)
      else slots.set(slot, date > today ? STATE.dateInFuture : STATE.valid, date)
      return
    }
  }
}

// JSON's 1e400 reads as Infinity: far out of range, and no fraction.
function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value)
}
