/** A value that follows from others: a subtotal, a total, or a derived figure of a scale. */
import type { RuleDefinition, SumDefinition } from '../../definition/scale.ts'
import { STATE, type Slots } from '../read/slots.ts'

type SlotOf = (part: string) => number

export interface Computation {
  /** The slot of the value that follows. */
  readonly target: number
  /** The slots that it follows from. */
  readonly parts: readonly number[]
  /** Whether a target that is not given may be computed. */
  readonly fillsIn: boolean
  /** Whether a given target is compared as soon as one of the parts is given, as the sum rule asks. */
  readonly comparesPartly: boolean
  /** Whether the figure is the sum of the parts and nothing else, complete when all of them are there. */
  readonly isPlainSum: boolean
  /** Whether every part that is needed is there and usable. */
  isComplete(slots: Slots): boolean
  /** The figure that the usable parts give. */
  compute(slots: Slots): number
  /** Whether the usable parts decide the figure before all of them are there. Absent: they do not. */
  readonly isDecided?: (slots: Slots) => boolean
  /** How far a given target may lie from the figure; absent for exact figures. */
  readonly tolerance?: number
}

export interface SumComputation extends Computation {
  /** Groups of items of which only one may be given. */
  readonly alternatives: readonly (readonly number[])[]
  /** Refuses alternatives of which more than one is given: they say the same thing twice. */
  refuseBoth(slots: Slots): void
}

/** A sum of items. Of alternatives exactly one counts; a severe form that scores replaces the mild one. */
export function compileSum(
  target: number,
  parts: readonly number[],
  definition: SumDefinition,
  slotOf: SlotOf,
): SumComputation {
  const groups = (definition.alternatives ?? []).map((group) => group.map(slotOf))
  const replacedBy = new Map(
    (definition.hierarchies ?? []).map((pair) => [slotOf(pair.replaces), slotOf(pair.severe)]),
  )
  const single = parts.filter((part) => !groups.some((group) => group.includes(part)))

  return {
    target,
    parts,
    alternatives: groups,
    comparesPartly: true,
    fillsIn: true,
    isPlainSum: groups.length === 0 && replacedBy.size === 0 && definition.to === undefined,
    isComplete: (slots) =>
      allUsable(slots, single) &&
      groups.every((group) => group.filter((part) => slots.isUsable(part)).length === 1),
    compute(slots) {
      let sum = 0
      for (const part of parts) {
        if (!slots.isUsable(part)) continue
        const severe = replacedBy.get(part)
        if (severe !== undefined && slots.isUsable(severe) && slots.valueOf(severe) > 0) continue
        sum += slots.valueOf(part)
      }
      return Math.min(exactSum(sum), definition.to ?? Infinity)
    },
    refuseBoth(slots) {
      for (const group of groups) {
        const given = group.filter((part) => slots.isUsable(part))
        for (const part of given.slice(1)) slots.set(part, STATE.givenTwice, 0)
      }
    },
  }
}

/** A total that is one single grade. */
export function compileGrade(target: number, item: number): Computation {
  return {
    target,
    parts: [item],
    comparesPartly: false,
    fillsIn: true,
    isPlainSum: false,
    isComplete: (slots) => slots.isUsable(item),
    compute: (slots) => slots.valueOf(item),
  }
}

/** A total of 1 when every part of a rule holds, else 0. An item holds when it is above 0. */
export function compileRule(
  target: number,
  parts: readonly number[],
  definition: RuleDefinition,
  slotOf: SlotOf,
): Computation {
  const clauses = definition.all.map((part) =>
    typeof part === 'string' ? [slotOf(part)] : part.any.map(slotOf),
  )
  const holds = (slots: Slots) => (part: number) => slots.isUsable(part) && slots.valueOf(part) > 0
  const isRefuted = (slots: Slots, any: readonly number[]): boolean =>
    allUsable(slots, any) && !any.some(holds(slots))
  return {
    target,
    parts,
    comparesPartly: false,
    fillsIn: true,
    isPlainSum: false,
    isComplete: (slots) => allUsable(slots, parts),
    // One clause that cannot hold makes the rule 0, whatever the other items are.
    isDecided: (slots) =>
      clauses.some((any) => isRefuted(slots, any)) || clauses.every((any) => any.some(holds(slots))),
    compute: (slots) => (clauses.every((any) => any.some(holds(slots))) ? 1 : 0),
  }
}

export function allUsable(slots: Slots, parts: readonly number[]): boolean {
  return parts.every((part) => slots.isUsable(part))
}

const UNITS = 1_000

/** Tenths are not exact in binary, so a sum is rounded to the thousandth that it stands for. */
export function exactSum(sum: number): number {
  return Math.round(sum * UNITS) / UNITS
}
