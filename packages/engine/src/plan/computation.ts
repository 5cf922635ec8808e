/** A value that follows from others: a subtotal, a total, or a derived figure of a scale. */
import { UNITS, rounded } from '../definition/domain.ts'
import { holdsFraction, inThousandths, ratioOf } from '../definition/exact-fractions.ts'
import { partsOf, recordField } from '../definition/scale-domains.ts'
import type {
  DerivedDefinition,
  ReadingBandDefinition,
  RuleDefinition,
  SumDefinition,
  TotalDefinition,
} from '../definition/scale.ts'
import type { Slots } from './slots.ts'
import { cdrGlobal } from './cdr-global.ts'

export type SlotOf = (name: string) => number

/** What a computation or a term needs to know about fields: their slots, and the numbers that stand for their codes. */
export interface FieldNames {
  readonly slotOf: SlotOf
  codesOf(name: string): ReadonlyMap<string, number>
}

/** The same of a scale, and how its parts follow from each other. */
export interface ScaleNames extends FieldNames {
  readonly computed: Readonly<Record<string, DerivedDefinition>>
}

/** The points of an item, and the ends of the band that they belong to. */
export type ReadingBand = Omit<ReadingBandDefinition, 'when'>

export interface Computation {
  /** The slot of the value that follows. */
  readonly target: number
  /** The slots that it follows from. */
  readonly parts: readonly number[]
  /** Whether a target that is not given may be computed. */
  readonly fillsIn: boolean
  /** Whether the target is an item. A total is compared with it, so it is computed although no model needs it. */
  readonly isItem: boolean
  /** Whether a given target is compared as soon as one of the parts is given, as the sum rule asks. */
  readonly comparesPartly: boolean
  /** Whether the figure is the sum of the parts and nothing else, complete when all of them are there. */
  readonly isPlainSum: boolean
  /** Whether a given target that differs is a mismatch. If not, it stands beside the figure. */
  readonly compares: boolean
  /** Of an item that follows from a reading: the band that the reading lies in. Absent for other figures. */
  readonly bandOf: BandOf | undefined
  /** Where one of these slots is given, a target that is not given stays so. */
  readonly unless: readonly number[]
  /** Whether every part that is needed is there and usable. */
  isComplete(slots: Slots): boolean
  /** The figure that the usable parts give. */
  compute(slots: Slots): number
  /** Whether the usable parts decide the figure before all of them are there. Absent: they do not. */
  readonly isDecided: ((slots: Slots) => boolean) | undefined
  /** How far a given target may lie from the figure; absent for exact figures. */
  readonly tolerance: number | undefined
}

/** A figure that needs all of its parts, where `more` does not say otherwise. */
function computation(
  target: number,
  parts: readonly number[],
  compute: (slots: Slots) => number,
  more: Partial<Computation> = {},
): Computation {
  return {
    ...{ target, parts, compute, fillsIn: true, isItem: false, comparesPartly: false, isPlainSum: false },
    ...{ isDecided: undefined, tolerance: undefined, bandOf: undefined, compares: true, unless: [] },
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
  if (total.kind === 'sum') return compileSum(target, items, total, slotOf)
  if (total.kind === 'rule') return compileRule(target, items, total, slotOf)
  const item = slotOf(total.item)
  return computation(target, [item], (slots) => slots.valueOf(item))
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

/** A figure that follows from items, measures, total and context in another way than a total does. */
export function compileDerived(name: string, definition: DerivedDefinition, names: ScaleNames): Computation {
  const { kind, of } = definition
  const parts = partsOf(definition).map(names.slotOf)
  const more = {
    ...('within' in definition ? { tolerance: definition.within } : {}),
    compares: kind !== 'cdrGlobal' && !(typeof of === 'string' && recordField(of) !== undefined),
  }
  const target = names.slotOf(name)
  if (kind !== 'banded' && kind !== 'byCode')
    return computation(target, parts, computeWith(definition, parts, names), more)
  const bandOf = kind === 'banded' ? compileBands(definition, names) : compileCodes(name, definition, names)
  const compute = (slots: Slots): number => bandOf(slots)?.points ?? Number.NaN
  // Some parts leave the figure open: sex X, or a saturation without its scale.
  const isComplete = (slots: Slots): boolean => bandOf(slots) !== undefined
  return computation(target, parts, compute, { ...more, isComplete, bandOf })
}

function computeWith(
  definition: Exclude<DerivedDefinition, { kind: 'banded' | 'byCode' }>,
  parts: readonly number[],
  names: ScaleNames,
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
    case 'gnri': {
      const divisors = byNumber(definition.divisors, names.codesOf(definition.by))
      const [albumin, weight, height, sex] = parts as [number, number, number, number]
      return (slots) => {
        const tall = slots.valueOf(height)
        const ideal = tall - 100 - (tall - 150) / (divisors[slots.valueOf(sex)] ?? Number.NaN)
        const share = Math.min(1, slots.valueOf(weight) / ideal)
        const index = definition.albumin * slots.valueOf(albumin) + definition.weight * share
        return rounded(index, definition.decimals)
      }
    }
    case 'bodyMassIndex':
    case 'percentLost': {
      const [first, second] = parts as [number, number]
      return (slots) => {
        const { dividend, divisor } = ratioOf(definition, slots.valueOf(first), slots.valueOf(second))
        return rounded(dividend / divisor / UNITS, definition.decimals)
      }
    }
    case 'cdrGlobal': {
      const [memory, ...others] = parts as [number, ...number[]]
      const valueOf = (slots: Slots) => (part: number) => slots.valueOf(part)
      return (slots) => cdrGlobal(slots.valueOf(memory), others.map(valueOf(slots)))
    }
  }
}

type Of<Kind extends DerivedDefinition['kind']> = Extract<DerivedDefinition, { kind: Kind }>
type BandOf = (slots: Slots) => ReadingBand | undefined

/** The band that a reading lies in. The reading counts exactly from its parts where they are there, else as it is given. */
function compileBands({ of, bands }: Of<'banded'>, names: ScaleNames): BandOf {
  const slot = names.slotOf(of)
  const ratio = names.computed[of]
  const isRatio = ratio?.kind === 'bodyMassIndex' || ratio?.kind === 'percentLost'
  const parts = isRatio ? ratio.of.map(names.slotOf) : []
  const [first = -1, second = -1] = parts
  const conditions = bands.map(({ when = {}, ...band }) => {
    const wanted = Object.entries(when).map(([part, value]) => {
      return {
        slot: names.slotOf(part),
        number: typeof value === 'number' ? value : names.codesOf(part).get(value),
      }
    })
    return { band, wanted }
  })
  return (slots) => {
    if (!slots.isUsable(slot)) return undefined
    const reading =
      isRatio && allUsable(slots, parts)
        ? ratioOf(ratio, slots.valueOf(first), slots.valueOf(second))
        : { dividend: inThousandths(slots.valueOf(slot)), divisor: 1 }
    const holds = (each: (typeof conditions)[number]): boolean =>
      each.wanted.every(({ slot: at, number }) => slots.isUsable(at) && slots.valueOf(at) === number)
    return conditions.find((each) => holdsFraction(each.band, reading) && holds(each))?.band
  }
}

/** The number of a code, or the number that stands for another one. */
function compileCodes(name: string, { of, values }: Of<'byCode'>, names: ScaleNames): BandOf {
  const slot = names.slotOf(of)
  const found = new Map<number, { readonly points: number }>()
  for (const [code, number] of names.codesOf(of)) {
    const value = values[code]
    const points = typeof value === 'string' ? names.codesOf(name).get(value) : value
    if (points !== undefined) found.set(number, { points })
  }
  return (slots) => (slots.isUsable(slot) ? found.get(slots.valueOf(slot)) : undefined)
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
