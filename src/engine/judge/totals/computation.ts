/** A value that follows from others: a scale's total, a subtotal, or a derived figure. */
import type { Slots } from '../../read/slots.ts'

export interface Computation {
  /** The slot of the value that follows. */
  readonly target: number
  /** The slots that it follows from. */
  readonly parts: readonly number[]
  /** Whether a given target is compared already when some of the parts are given, as the sum rule asks. */
  readonly comparesPartly: boolean
  /** Whether a target that is not given may be worked out. */
  readonly fillsIn: boolean
  /** Whether the figure is the sum of the parts and nothing else, complete when all of them are there. */
  readonly isPlainSum: boolean
  /** Whether every part that is needed is there and usable. */
  isComplete(slots: Slots): boolean
  /** The figure that the usable parts give. */
  compute(slots: Slots): number
}

export function allUsable(slots: Slots, parts: readonly number[]): boolean {
  return parts.every((part) => slots.isUsable(part))
}

const UNITS = 1_000

/** Tenths are not exact in binary, so a sum is brought back to the thousandth that it stands for. */
export function exactSum(sum: number): number {
  return Math.round(sum * UNITS) / UNITS
}
