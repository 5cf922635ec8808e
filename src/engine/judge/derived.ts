/** Figures derived from a scale's items, total and context: sums, means, counts and shifted totals. */
import type { DerivedDefinition } from '../../definition/scale.ts'
import type { Slots } from '../read/slots.ts'
import { allUsable, type Computation, exactSum } from './computation.ts'

export interface DerivedNames {
  slotOf(name: string): number
  /** The numbers that stand for a context's codes in its slot. */
  codesOf(name: string): ReadonlyMap<string, number>
}

export function compileDerived(
  target: number,
  definition: DerivedDefinition,
  names: DerivedNames,
): Computation {
  const parts = partsOf(definition).map((name) => names.slotOf(name))
  return {
    target,
    parts,
    comparesPartly: false,
    fillsIn: true,
    isPlainSum: false,
    isComplete: (slots) => allUsable(slots, parts),
    compute: computeWith(definition, parts, names),
  }
}

function partsOf(definition: DerivedDefinition): readonly string[] {
  return definition.kind === 'shifted' ? [definition.of, definition.by] : definition.of
}

function computeWith(
  definition: DerivedDefinition,
  parts: readonly number[],
  names: DerivedNames,
): (slots: Slots) => number {
  switch (definition.kind) {
    case 'sum':
      return (slots) => sumOf(slots, parts)
    case 'mean': {
      const unit = 10 ** definition.decimals
      return (slots) => Math.round((sumOf(slots, parts) / parts.length) * unit) / unit
    }
    case 'countAtLeast':
      return (slots) => parts.filter((part) => slots.valueOf(part) >= definition.atLeast).length
    case 'shifted': {
      const shifts: number[] = []
      for (const [code, number] of names.codesOf(definition.by)) shifts[number] = definition.points[code] ?? 0
      const [of, by] = parts as [number, number]
      return (slots) => {
        const shifted = slots.valueOf(of) + (shifts[slots.valueOf(by)] ?? 0)
        return Math.min(definition.to, Math.max(definition.from, shifted))
      }
    }
  }
}

function sumOf(slots: Slots, parts: readonly number[]): number {
  return exactSum(parts.reduce((sum, part) => sum + slots.valueOf(part), 0))
}
