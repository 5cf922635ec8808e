/** A sum of items. Of alternatives exactly one counts; a severe form that scores replaces the mild one. */
import type { SumDefinition } from '../../../definition/scale.ts'
import { STATE, type Slots } from '../../read/slots.ts'
import { type Computation, exactSum } from './computation.ts'

export interface SumComputation extends Computation {
  /** Groups of items of which only one may be given. */
  readonly alternatives: readonly (readonly number[])[]
  /** Alternatives of which more than one is given are the same thing said twice. */
  refuseBoth(slots: Slots): void
}

export function compileSum(
  target: number,
  parts: readonly number[],
  definition: SumDefinition,
  slotOf: (item: string) => number,
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
    isPlainSum: groups.length === 0 && replacedBy.size === 0,
    isComplete: (slots) =>
      single.every((part) => slots.isUsable(part)) &&
      groups.every((group) => group.filter((part) => slots.isUsable(part)).length === 1),
    compute(slots) {
      let sum = 0
      for (const part of parts) {
        if (!slots.isUsable(part)) continue
        const severe = replacedBy.get(part)
        if (severe !== undefined && slots.isUsable(severe) && slots.valueOf(severe) > 0) continue
        sum += slots.valueOf(part)
      }
      return exactSum(sum)
    },
    refuseBoth(slots) {
      for (const group of groups) {
        const given = group.filter((part) => slots.isUsable(part))
        for (const part of given.slice(1)) slots.set(part, STATE.givenTwice, 0)
      }
    },
  }
}
