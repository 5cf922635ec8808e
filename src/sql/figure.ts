/** The figure that a scale's parts give: a total, a subtotal or a derived value. */
import type {
  DerivedDefinition,
  RuleDefinition,
  SumDefinition,
  TotalDefinition,
} from '../definition/scale.ts'
import type { Dialect } from './dialect.ts'
import { type Slot, type SlotList, isUsable, slotsAt } from './slot.ts'
import { type Sql, allOf, cases, join, sql } from './stages.ts'

export interface FigureTools {
  readonly dialect: Dialect
  readonly slots: SlotList
  readonly slotOf: (part: string) => number
  /** The numbers that stand for a context's codes. */
  readonly codesOf: (part: string) => ReadonlyMap<string, number>
}

export interface Figure {
  readonly value: Sql
  /** Whether every part that is needed is there; undefined when no row can have all of them. */
  readonly isComplete: Sql | undefined
  /** Whether the given parts decide the figure before all of them are there. */
  readonly isDecided?: Sql
}

/** Some row can have at least one of the parts. */
export function totalFigure(tools: FigureTools, total: TotalDefinition, parts: readonly number[]): Figure {
  if (total === 'sum' || total.kind === 'sum') return sumFigure(tools, total === 'sum' ? {} : total, parts)
  if (total.kind === 'rule') return ruleFigure(tools, total, parts)
  const present = slotsAt(tools.slots, parts)
  return { value: (present[0] as Slot).value, isComplete: all(present) }
}

export function derivedFigure(
  tools: FigureTools,
  derived: DerivedDefinition,
  parts: readonly number[],
): Figure {
  const present = slotsAt(tools.slots, parts)
  if (present.length < parts.length)
    return { value: sql`CAST(NULL AS ${tools.dialect.doubleType})`, isComplete: undefined }
  const isComplete = all(present)
  const values = present.map(({ value }) => value)
  // Wrong values stay out of the arithmetic: an overflow ends the query in some engines.
  return { value: cases([[isComplete, derivedValue(tools, derived, values)]]), isComplete }
}

function all(slots: readonly Slot[]): Sql {
  return allOf(slots.map(isUsable))
}

/** The sum of the usable parts. A severe form that scores replaces the mild one; of alternatives exactly one counts. */
function sumFigure(
  { dialect, slots, slotOf }: FigureTools,
  { hierarchies = [], alternatives = [], to }: Omit<SumDefinition, 'kind'>,
  parts: readonly number[],
): Figure {
  const { double } = dialect
  const replacedBy = new Map(hierarchies.map((pair) => [slotOf(pair.replaces), slotOf(pair.severe)]))
  const addends = parts.flatMap((part): readonly Sql[] => {
    const slot = slots[part]
    if (slot === undefined) return []
    const severe = slots[replacedBy.get(part) ?? -1]
    const replaced = severe === undefined ? '' : sql` AND NOT (${isUsable(severe)} AND ${severe.value} > 0)`
    return [cases([[sql`${isUsable(slot)}${replaced}`, slot.value]], double(0))]
  })
  const groups = alternatives.map((group) => group.map(slotOf))
  const single = parts.filter((part) => !groups.some((group) => group.includes(part)))
  const oneOf = groups.map((group) => {
    const given = slotsAt(slots, group).map((slot) => cases([[isUsable(slot), 1]], 0))
    return sql`${join(given, ' + ', '0')} = 1`
  })
  const usable = slotsAt(slots, single)
  const isPossible =
    usable.length === single.length && groups.every((group) => slotsAt(slots, group).length > 0)
  const sum = exactSum(dialect, addends)
  return {
    value: to === undefined ? sum : sql`least(${double(to)}, ${sum})`,
    isComplete: isPossible ? allOf([...usable.map(isUsable), ...oneOf]) : undefined,
  }
}

/** Tenths are not exact in binary, so a sum is brought back to the thousandth that it stands for, as in the engine. */
function exactSum(dialect: Dialect, addends: readonly Sql[]): Sql {
  return rounded(dialect, join(addends, ' + ', dialect.double(0)), 3)
}

function rounded({ double }: Dialect, value: Sql, decimals: number): Sql {
  const unit = double(10 ** decimals)
  return sql`floor((${value}) * ${unit} + ${double(0.5)}) / ${unit}`
}

/** A rule may be decided before all of its items are there: by one clause that cannot hold, or by all that hold. */
function ruleFigure(
  { dialect: { double }, slots, slotOf }: FigureTools,
  rule: RuleDefinition,
  parts: readonly number[],
): Figure {
  const clauses = rule.all.map((part) => {
    const items = (typeof part === 'string' ? [part] : part.any).map(slotOf)
    const present = slotsAt(slots, items)
    const positive = present.map((slot) => sql`(${isUsable(slot)} AND ${slot.value} > 0)`)
    const holds = sql`(${join(positive, ' OR ', 'FALSE')})`
    const isRefuted = present.length < items.length ? sql`FALSE` : sql`(${all(present)} AND NOT ${holds})`
    return { holds, isRefuted }
  })
  const allHold = allOf(clauses.map(({ holds }) => holds))
  const refuted = clauses.map(({ isRefuted }) => isRefuted)
  const present = slotsAt(slots, parts)
  return {
    value: cases([[allHold, double(1)]], double(0)),
    isComplete: present.length < parts.length ? undefined : all(present),
    isDecided: sql`(${allHold}) OR ${join(refuted, ' OR ', 'FALSE')}`,
  }
}

function derivedValue(
  { dialect, codesOf }: FigureTools,
  derived: DerivedDefinition,
  values: readonly Sql[],
): Sql {
  const { double, doubleType } = dialect
  const [first, second, third, fourth] = values as readonly [Sql, Sql, Sql, Sql]
  type ByCode = Readonly<Record<string, number>>
  const byCode = (value: Sql, numbers: ByCode, by: string, otherwise?: string): Sql => {
    const branches = [...codesOf(by)].map(([code, number]) => [number, double(numbers[code] ?? 0)] as const)
    return cases(branches, otherwise, value)
  }
  switch (derived.kind) {
    case 'sum':
      return exactSum(dialect, values)
    case 'mean':
      return rounded(dialect, sql`${exactSum(dialect, values)} / ${double(values.length)}`, derived.decimals)
    case 'countAtLeast': {
      const counted = values.map((value) => cases([[sql`${value} >= ${double(derived.atLeast)}`, 1]], 0))
      return sql`CAST(${join(counted, ' + ', '0')} AS ${doubleType})`
    }
    case 'shifted': {
      const shifted = sql`${first} + ${byCode(second, derived.points, derived.by, double(0))}`
      return sql`least(${double(derived.to)}, greatest(${double(derived.from)}, ${shifted}))`
    }
    case 'quotient':
      return rounded(dialect, sql`${first} / ${double(derived.by)}`, derived.decimals)
    case 'inverse':
      return rounded(dialect, sql`${double(derived.numerator)} / ${first}`, derived.decimals)
    case 'sumWithin': {
      const within = sql`${exactSum(dialect, values)} BETWEEN ${double(derived.from)} AND ${double(derived.to)}`
      return cases([[within, double(1)]], double(0))
    }
    case 'byCode':
      return byCode(first, derived.values, derived.of)
    case 'gnri': {
      const [albumin, weight, height] = [first, second, third]
      const divisor = byCode(fourth, derived.divisors, derived.by)
      const ideal = sql`(${height} - ${double(100)} - (${height} - ${double(150)}) / ${divisor})`
      const share = sql`least(${double(1)}, ${weight} / ${ideal})`
      const index = sql`${double(derived.albumin)} * ${albumin} + ${double(derived.weight)} * ${share}`
      return rounded(dialect, index, derived.decimals)
    }
  }
}
