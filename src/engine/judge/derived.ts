/** Figures that follow from a scale's items, measures, total and context in other ways than a total does. */
import { rounded } from '../../definition/domain.ts'
import { partsOf } from '../../definition/forms.ts'
import type { DerivedDefinition } from '../../definition/scale.ts'
import type { Slots } from '../read/slots.ts'
import { type Computation, computation, exactSum } from './computation.ts'

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
  const more = 'within' in definition ? { tolerance: definition.within } : {}
  return computation(target, parts, computeWith(definition, parts, names), more)
}

function computeWith(
  definition: DerivedDefinition,
  parts: readonly number[],
  names: DerivedNames,
): (slots: Slots) => number {
  switch (definition.kind) {
    case 'sum':
      return (slots) => sumOf(slots, parts)
    case 'mean':
      return (slots) => rounded(sumOf(slots, parts) / parts.length, definition.decimals)
    case 'countAtLeast':
      return (slots) => parts.filter((part) => slots.valueOf(part) >= definition.atLeast).length
    case 'shifted': {
      const shifts = byNumber(definition.points, names.codesOf(definition.by))
      const [of, by] = parts as [number, number]
      return (slots) => {
        const shifted = slots.valueOf(of) + (shifts[slots.valueOf(by)] ?? 0)
        return Math.min(definition.to, Math.max(definition.from, shifted))
      }
    }
    case 'quotient':
      return (slots) => rounded(slots.valueOf(parts[0] as number) / definition.by, definition.decimals)
    case 'inverse':
      return (slots) => rounded(definition.numerator / slots.valueOf(parts[0] as number), definition.decimals)
    case 'sumWithin':
      return (slots) => {
        const sum = sumOf(slots, parts)
        return sum >= definition.from && sum <= definition.to ? 1 : 0
      }
    case 'byCode': {
      const values = byNumber(definition.values, names.codesOf(definition.of))
      return (slots) => values[slots.valueOf(parts[0] as number)] ?? Number.NaN
    }
    case 'gnri': {
      const divisors = byNumber(definition.divisors, names.codesOf(definition.by))
      const [albumin, weight, height, sex] = parts as [number, number, number, number]
      return (slots) => {
        const tall = slots.valueOf(height)
        const ideal = tall - 100 - (tall - 150) / (divisors[slots.valueOf(sex)] ?? Number.NaN)
        const share = Math.min(1, slots.valueOf(weight) / ideal)
        return rounded(
          definition.albumin * slots.valueOf(albumin) + definition.weight * share,
          definition.decimals,
        )
      }
    }
  }
}

function sumOf(slots: Slots, parts: readonly number[]): number {
  return exactSum(parts.reduce((sum, part) => sum + slots.valueOf(part), 0))
}

/** Numbers by code as numbers by the number that stands for the code in its slot. */
function byNumber(
  numbers: Readonly<Record<string, number>>,
  codes: ReadonlyMap<string, number>,
): readonly number[] {
  const list: number[] = []
  for (const [code, number] of codes) list[number] = numbers[code] ?? 0
  return list
}
