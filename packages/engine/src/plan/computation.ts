/** A value that follows from others: a subtotal, a total, or a derived figure of a scale. */
import { UNITS, byNumber, inUnits } from '../definition/domain.ts'
import {
  DIVISOR_UNITS,
  type Fraction,
  type QuotientDefinition,
  fractionOf,
  holdsFraction,
  isQuotient,
} from '../definition/exact-fractions.ts'
import { partsOf, recordField } from '../definition/scale-domains.ts'
import type {
  DerivedDefinition,
  ReadingBandDefinition,
  RuleDefinition,
  SumDefinition,
  TotalDefinition,
} from '../definition/scale.ts'
import {
  add,
  and,
  choose,
  compare,
  divide,
  isSome,
  lookup,
  max,
  min,
  none,
  not,
  number,
  or,
  round,
  stateIn,
  value,
  when,
} from '../expression/build.ts'
import { type NumberOf, compileChoice, compileCondition, compileNumber } from '../expression/evaluate.ts'
import type { ConditionNode, NumberNode } from '../expression/node.ts'
import { cdrGlobalNode } from './cdr-global.ts'
import { type Slots, USABLE } from './slots.ts'

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
  readonly isComplete: ConditionNode
  /** The figure that the usable parts give. */
  readonly figure: NumberNode
  /** Whether the usable parts decide the figure: before all of them are there where it may be so early. */
  readonly isDecided: ConditionNode
  /** How far a given target may lie from the figure; absent for exact figures. */
  readonly tolerance: number | undefined
}

/** Whether a condition holds for a record. */
export function holdsIn({ values, states }: Slots, condition: ConditionNode): boolean {
  return compileCondition(condition)(values, states, Number.NaN)
}

/** Whether the slot holds a number that may enter a computation. */
export function isUsable(slot: number): ConditionNode {
  return stateIn(slot, ...USABLE)
}

const usableValues = new Map<number, NumberNode>()

/** The value of a slot, and none where it may not enter a computation: what is wrong stays out of every arithmetic. */
export function usableValue(slot: number): NumberNode {
  const known = usableValues.get(slot) ?? when(isUsable(slot), value(slot))
  usableValues.set(slot, known)
  return known
}

function allUsable(slots: readonly number[]): ConditionNode {
  return and(...slots.map(isUsable))
}

function isPositive(slot: number): ConditionNode {
  return compare(usableValue(slot), '>', number(0))
}

/** A figure that needs all of its parts, where `more` does not say otherwise. */
function computation(
  target: number,
  parts: readonly number[],
  figure: NumberNode,
  more: Partial<Computation> = {},
): Computation {
  const { isComplete = allUsable(parts) } = more
  return {
    target,
    parts,
    figure,
    fillsIn: true,
    isItem: false,
    comparesPartly: false,
    isPlainSum: false,
    isComplete,
    isDecided: isComplete,
    tolerance: undefined,
    bandOf: undefined,
    compares: true,
    unless: [],
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
  return computation(target, [item], usableValue(item))
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
  const addends = parts.map((part) => {
    const severe = replacedBy.get(part)
    const counts = severe === undefined ? isUsable(part) : and(isUsable(part), not(isPositive(severe)))
    return when(counts, value(part), number(0))
  })
  const sum = exactSum(addends)
  const oneOf = groups.map((group) => {
    const given = group.map((part) => when(isUsable(part), number(1), number(0)))
    return compare(add(...given), '=', number(1))
  })
  return computation(target, parts, to === undefined ? sum : min(sum, number(to)), {
    comparesPartly: true,
    isPlainSum: groups.length === 0 && replacedBy.size === 0 && to === undefined,
    isComplete: and(allUsable(single), ...oneOf),
  })
}

/** A total of 1 when every part of a rule holds, else 0. An item holds when it is above 0. */
function compileRule(
  target: number,
  parts: readonly number[],
  definition: RuleDefinition,
  slotOf: SlotOf,
): Computation {
  const clauses = definition.all.map((part) => {
    const items = typeof part === 'string' ? [slotOf(part)] : part.any.map(slotOf)
    const holds = or(...items.map(isPositive))
    // One clause that cannot hold makes the rule 0, whatever the other items are.
    return { holds, isRefuted: and(allUsable(items), not(holds)) }
  })
  const allHold = and(...clauses.map(({ holds }) => holds))
  const isComplete = allUsable(parts)
  return computation(target, parts, when(allHold, number(1), number(0)), {
    isComplete,
    isDecided: or(isComplete, allHold, ...clauses.map(({ isRefuted }) => isRefuted)),
  })
}

/** Tenths are not exact in binary, so a sum is rounded to the thousandth that it stands for. */
function exactSum(addends: readonly NumberNode[]): NumberNode {
  return round(add(...addends), 3)
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
    return computation(target, parts, figureOf(definition, parts, names), more)
  const { figure, bandOf } =
    kind === 'banded' ? bandedFigure(definition, names) : codedFigure(name, definition, names)
  // Some parts leave the figure open: sex X, or a saturation without its scale.
  return computation(target, parts, figure, { ...more, isComplete: isSome(figure), bandOf })
}

function figureOf(
  definition: Exclude<DerivedDefinition, { kind: 'banded' | 'byCode' }>,
  parts: readonly number[],
  names: ScaleNames,
): NumberNode {
  if (isQuotient(definition)) {
    const { dividend, divisor } = quotientOf(definition, names)
    return round(divide(divide(dividend, divisor), number(UNITS)), definition.decimals)
  }
  const values = parts.map(usableValue)
  const [first = none(), second = none()] = values
  switch (definition.kind) {
    case 'sum':
      return exactSum(values)
    case 'countAtLeast': {
      const edge = number(definition.atLeast)
      return add(...values.map((each) => when(compare(each, '>=', edge), number(1), number(0))))
    }
    case 'shifted': {
      const shifts = byNumber(definition.points, names.codesOf(definition.by))
      const shifted = add(
        first,
        lookup(
          second,
          0,
          shifts.map((shift) => (Number.isNaN(shift) ? 0 : shift)),
        ),
      )
      return min(number(definition.to), max(number(definition.from), shifted))
    }
    case 'sumWithin': {
      const sum = exactSum(values)
      const isWithin = and(
        compare(sum, '>=', number(definition.from)),
        compare(sum, '<=', number(definition.to)),
      )
      return when(isWithin, number(1), number(0))
    }
    case 'cdrGlobal':
      return cdrGlobalNode(first, values.slice(1))
  }
}

type Of<Kind extends DerivedDefinition['kind']> = Extract<DerivedDefinition, { kind: Kind }>
type BandOf = (slots: Slots) => ReadingBand | undefined

interface Reading {
  readonly figure: NumberNode
  readonly bandOf: BandOf
}

/** The points of the band that a reading lies in: exactly from its parts where they are there, else as it is given. */
function bandedFigure({ of, bands }: Of<'banded'>, names: ScaleNames): Reading {
  const slot = names.slotOf(of)
  const reading = unroundedFigure(of, names.computed[of], names)
  const conditional = bands.map(({ when: wanted = {}, ...band }) => ({ wanted, band }))
  const branches = conditional.map(({ wanted, band }) => {
    const conditions = Object.entries(wanted).map(([part, each]) => {
      const wantedNumber = typeof each === 'number' ? each : names.codesOf(part).get(each)
      return compare(usableValue(names.slotOf(part)), '=', number(wantedNumber ?? Number.NaN))
    })
    return {
      when: and(isUsable(slot), ...conditions, holdsFraction(band, reading)),
      then: number(band.points),
    }
  })
  const figure = choose(branches)
  let place: NumberOf | undefined
  return {
    figure,
    bandOf({ values, states }) {
      // Compiled when it is first asked for: only explanations do so.
      place ??= compileChoice(figure)
      return conditional[place(values, states, Number.NaN)]?.band
    },
  }
}

/** A figure that is a quotient, before it is rounded. */
function quotientOf(definition: QuotientDefinition, names: ScaleNames): Fraction {
  const parts = partsOf(definition)
  const values = parts.map((part) => usableValue(names.slotOf(part)))
  if (definition.kind !== 'gnri') return fractionOf(definition, values, none())
  const tenths = byNumber(definition.divisors, names.codesOf(definition.by)).map((divisor) =>
    Math.round(divisor * DIVISOR_UNITS),
  )
  return fractionOf(definition, values, lookup(usableValue(names.slotOf(definition.by)), 0, tenths))
}

/** A figure as bands judge it, in thousandths: before rounding where its parts are there, else as it is given. */
export function unroundedFigure(
  name: string,
  definition: DerivedDefinition | undefined,
  names: ScaleNames,
): Fraction {
  const own = asGiven(names.slotOf(name))
  if (!isQuotient(definition)) return own
  const parts = partsOf(definition).map(names.slotOf)
  return whereHolds(allUsable(parts), quotientOf(definition, names), own)
}

/** The value of a slot in thousandths. */
export function asGiven(slot: number): Fraction {
  return { dividend: inUnits(usableValue(slot)), divisor: number(1) }
}

/** One figure where a condition holds, and another where it does not. */
export function whereHolds(condition: ConditionNode, one: Fraction, other: Fraction): Fraction {
  return {
    dividend: when(condition, one.dividend, other.dividend),
    divisor: when(condition, one.divisor, other.divisor),
  }
}

/** The number of a code, or the number that stands for another one. */
function codedFigure(name: string, { of, values }: Of<'byCode'>, names: ScaleNames): Reading {
  const numbers = Object.fromEntries(
    Object.entries(values).map(([code, each]) => {
      return [code, typeof each === 'string' ? names.codesOf(name).get(each) : each]
    }),
  )
  const figure = lookup(usableValue(names.slotOf(of)), 0, byNumber(numbers, names.codesOf(of)))
  return {
    figure,
    bandOf(slots) {
      const points = compileNumber(figure)(slots.values, slots.states, Number.NaN)
      return Number.isNaN(points) ? undefined : { points }
    },
  }
}
