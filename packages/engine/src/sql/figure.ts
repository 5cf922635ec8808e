/** The figure that a scale's parts give: a total, a subtotal or a derived value. */
import type {
  DerivedDefinition,
  RuleDefinition,
  SumDefinition,
  TotalDefinition,
} from '../definition/scale.ts'
import { codesIn } from '../definition/domain.ts'
import { type Sql, and, cases, join, not, or, sql, when } from './fragment.ts'
import type { Query } from './query.ts'
import { bandedFigure, byCodeFigure, cdrGlobalValue, ratioValue } from './derived-figures.ts'
import { ABSENT, type Figure, type Slot, type Tools, isUsable, rounded, slotsAt } from './slot.ts'

export function totalFigure(tools: Tools, total: TotalDefinition, parts: readonly number[]): Figure {
  if (total === 'sum') return sumFigure(tools, {}, parts)
  if (total.kind === 'sum') return sumFigure(tools, total, parts)
  const slots = parts.map((part) => tools.slots[part] as Slot)
  if (total.kind === 'rule') return ruleFigure(tools, total, slots)
  return { value: (slots[0] as Slot).value, isComplete: all(slots) }
}

export function derivedFigure(
  tools: Tools,
  name: string,
  derived: DerivedDefinition,
  parts: readonly number[],
): Figure {
  if (derived.kind === 'banded') return bandedFigure(tools, derived)
  if (derived.kind === 'byCode') return byCodeFigure(tools, name, derived)
  const slots = parts.map((part) => tools.slots[part] as Slot)
  const isComplete = all(slots)
  // Wrong values stay out of the arithmetic: an overflow ends the query in some engines.
  return { value: when(isComplete, derivedValue(tools, derived, slots)), isComplete }
}

function all(slots: readonly Slot[]): Sql {
  return and(...slots.map(isUsable))
}

function isPositive(slot: Slot): Sql {
  return and(isUsable(slot), sql`${slot.value} > 0`)
}

/** The sum of the usable parts. A severe form that scores replaces the mild one; of alternatives exactly one counts. */
function sumFigure(tools: Tools, total: Partial<SumDefinition>, parts: readonly number[]): Figure {
  const { query, slots } = tools
  const { hierarchies = [], alternatives = [], to } = total
  const slotOf = (part: string): number => query.placeOf(`${tools.id}_${part}`)
  const replacedBy = new Map(hierarchies.map((pair) => [slotOf(pair.replaces), slotOf(pair.severe)]))
  const addends = parts.flatMap((part): readonly Sql[] => {
    const slot = slots[part] as Slot
    const severe = slots[replacedBy.get(part) ?? -1] ?? ABSENT
    const counts = and(isUsable(slot), not(isPositive(severe)))
    return slot === ABSENT ? [] : [when(counts, slot.value, query.double(0))]
  })
  const groups = alternatives.map((group) => group.map(slotOf))
  const oneOf = groups.map((group) => {
    const given = slotsAt(slots, group).map((slot) => when(isUsable(slot), 1, 0))
    return sql`${join(given, ' + ', '0')} = 1`
  })
  const single = parts.filter((part) => !groups.some((group) => group.includes(part)))
  const sum = exactSum(query, addends)
  return {
    value: to === undefined ? sum : sql`least(${query.double(to)}, ${sum})`,
    isComplete: and(all(single.map((part) => slots[part] as Slot)), ...oneOf),
  }
}

/** Tenths are not exact in binary, so sums are rounded to thousandths, as in the engine. */
function exactSum(query: Query, addends: readonly Sql[]): Sql {
  return rounded(query, join(addends, ' + ', query.double(0)), 3)
}

/** A rule may be decided before all of its items are there: by one clause that cannot hold, or by all that hold. */
function ruleFigure(tools: Tools, rule: RuleDefinition, parts: readonly Slot[]): Figure {
  const { query, slots, id } = tools
  const clauses = rule.all.map((part) => {
    const names = typeof part === 'string' ? [part] : part.any
    const items = names.map((name) => slots[query.placeOf(`${id}_${name}`)] as Slot)
    const holds = or(...items.map(isPositive))
    return { holds, isRefuted: and(all(items), not(holds)) }
  })
  const allHold = and(...clauses.map(({ holds }) => holds))
  return {
    value: when(allHold, query.double(1), query.double(0)),
    isComplete: all(parts),
    isDecided: or(allHold, ...clauses.map(({ isRefuted }) => isRefuted)),
  }
}

type ValueDefinition = Exclude<DerivedDefinition, { kind: 'banded' | 'byCode' }>

function derivedValue(tools: Tools, derived: ValueDefinition, parts: readonly Slot[]): Sql {
  const { query } = tools
  const { double } = query
  const values: readonly Sql[] = parts.map(({ value }) => value)
  const [first, second, third, fourth] = values as readonly [Sql, Sql, Sql, Sql]
  type ByCode = Readonly<Record<string, number>>
  const byCode = (value: Sql, numbers: ByCode, by: string, otherwise?: string): Sql => {
    const codes = [...codesIn(query.field(`${tools.id}_${by}`).domain)]
    const branches = codes.map(([code, number]) => [number, double(numbers[code] ?? 0)] as const)
    return cases(branches, otherwise, value)
  }
  switch (derived.kind) {
    case 'sum':
      return exactSum(query, values)
    case 'mean':
      return rounded(query, sql`${exactSum(query, values)} / ${double(values.length)}`, derived.decimals)
    case 'countAtLeast': {
      const counted = values.map((value) => when(sql`${value} >= ${double(derived.atLeast)}`, 1, 0))
      return sql`CAST(${join(counted, ' + ', '0')} AS ${query.dialect.doubleType})`
    }
    case 'shifted': {
      const shifted = sql`${first} + ${byCode(second, derived.points, derived.by, double(0))}`
      return sql`least(${double(derived.to)}, greatest(${double(derived.from)}, ${shifted}))`
    }
    case 'quotient':
      return rounded(query, sql`${first} / ${double(derived.by)}`, derived.decimals)
    case 'inverse':
      return rounded(query, sql`${double(derived.numerator)} / ${first}`, derived.decimals)
    case 'sumWithin': {
      const within = sql`${exactSum(query, values)} BETWEEN ${double(derived.from)} AND ${double(derived.to)}`
      return when(within, double(1), double(0))
    }
    case 'gnri': {
      const [albumin, weight, height] = [first, second, third]
      const divisor = byCode(fourth, derived.divisors, derived.by)
      const ideal = sql`(${height} - ${double(100)} - (${height} - ${double(150)}) / ${divisor})`
      const share = sql`least(${double(1)}, ${weight} / ${ideal})`
      const index = sql`${double(derived.albumin)} * ${albumin} + ${double(derived.weight)} * ${share}`
      return rounded(query, index, derived.decimals)
    }
    case 'bodyMassIndex':
    case 'percentLost':
      return ratioValue(tools, derived, first, second)
    case 'cdrGlobal':
      return cdrGlobalValue(tools, first, values.slice(1))
  }
}
