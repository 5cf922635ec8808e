/** A value that follows from others: a subtotal, a total, or a derived figure of a scale. */
import { rounded } from '../../definition/domain.ts'
import type { RuleDefinition, SumDefinition, TotalDefinition } from '../../definition/scale.ts'
import type { Slots } from '../read/slots.ts'

type SlotOf = (part: string) => number

export interface Computation {
  /** The slot of the value that follows. */
  readonly target: number
  /** The slots that it follows from. */
  readonly parts: readonly number[]
  /** Whether a target that is not given may be computed. */
  readonly fillsIn: boolean
  /** Whether the target is an item. A total is compared with it, so it is computed although no model needs it. */
  readonly isItem?: boolean
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

/** A figure that needs all of its parts, where `more` does not say otherwise. */
export function computation(
  target: number,
  parts: readonly number[],
  compute: (slots: Slots) => number,
  more: Partial<Computation> = {},
): Computation {
  return {
    ...{ target, parts, compute, fillsIn: true, comparesPartly: false, isPlainSum: false },
    isComplete: (slots) => allUsable(slots, parts),
    ...more,
  }
}

/** The total of a form with these items. */
export function compileTotal(
  target: number,
  items: readonly number[],
  total: TotalDefinition,
  slotOf: SlotOf,
): Computation {
  if (total === 'sum') return compileSum(target, items)
  switch (total.kind) {
    case 'sum':
      return compileSum(target, items, total, slotOf)
    case 'grade': {
      const item = slotOf(total.item)
      return computation(target, [item], (slots) => slots.valueOf(item))
    }
    case 'rule':
      return compileRule(target, items, total, slotOf)
  }
}

/** A sum of items. Of alternatives exactly one counts; a severe form that scores replaces the mild one. */
export function compileSum(
  target: number,
  parts: readonly number[],
  { alternatives = [], hierarchies = [], to }: SumDefinition = { kind: 'sum' },
  slotOf: SlotOf = () => -1,
): Computation {
  const groups = alternatives.map((group) => group.map(slotOf))
  const replacedBy = new Map(hierarchies.map((pair) => [slotOf(pair.replaces), slotOf(pair.severe)]))
  const single = parts.filter((part) => !groups.some((group) => group.includes(part)))
  const compute = (slots: Slots): number => {
    let sum = 0
    for (const part of parts) {
      if (!slots.isUsable(part)) continue
      const severe = replacedBy.get(part)
      if (severe !== undefined && slots.isUsable(severe) && slots.valueOf(severe) > 0) continue
      sum += slots.valueOf(part)
    }
    return Math.min(exactSum(sum), to ?? Infinity)
  }
  return computation(target, parts, compute, {
    comparesPartly: true,
    isPlainSum: groups.length === 0 && replacedBy.size === 0 && to === undefined,
    isComplete: (slots) =>
      allUsable(slots, single) &&
      groups.every((group) => group.filter((part) => slots.isUsable(part)).length === 1),
  })
}

/** A total of 1 when every part of a rule holds, else 0. An item holds when it is above 0. */
function compileRule(
  target: number,
  parts: readonly number[],
  definition: RuleDefinition,
  slotOf: SlotOf,
): Computation {
  const clauses = definition.all.map((part) =>
    typeof part === 'string' ? [slotOf(part)] : part.any.map(slotOf),
  )
  const holds = (slots: Slots) => (any: readonly number[]) =>
    any.some((part) => slots.isUsable(part) && slots.valueOf(part) > 0)
  return computation(target, parts, (slots) => (clauses.every(holds(slots)) ? 1 : 0), {
    // One clause that cannot hold makes the rule 0, whatever the other items are.
    isDecided: (slots) =>
      clauses.every(holds(slots)) || clauses.some((any) => allUsable(slots, any) && !holds(slots)(any)),
  })
}

function allUsable(slots: Slots, parts: readonly number[]): boolean {
  return parts.every((part) => slots.isUsable(part))
}

/** Tenths are not exact in binary, so a sum is rounded to the thousandth that it stands for. */
export function exactSum(sum: number): number {
  return rounded(sum, 3)
}
