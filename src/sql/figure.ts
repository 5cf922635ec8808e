/** The figure that a scale's parts give: a total, a subtotal or a derived value. */
import type {
  DerivedDefinition,
  RuleDefinition,
  SumDefinition,
  TotalDefinition,
} from '../definition/scale.ts'
import type { Dialect } from './dialect.ts'
import { type Slot, type SlotList, isUsable } from './slot.ts'
import { type Sql, join, sql } from './stages.ts'

/** A total or a derived value as its scale defines it. Both have a kind `sum`, so they are told apart. */
export type FigureDefinition =
  | { readonly of: 'total'; readonly total: TotalDefinition }
  | { readonly of: 'derived'; readonly derived: DerivedDefinition }

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

/** Undefined when no row can have a part of it. */
export function figureOf(
  tools: FigureTools,
  definition: FigureDefinition,
  parts: readonly number[],
): Figure | undefined {
  const present = parts.flatMap((part) => tools.slots[part] ?? [])
  if (present.length === 0) return undefined
  if (definition.of === 'derived') {
    if (present.length < parts.length) return { value: sql`NULL`, isComplete: undefined }
    const isComplete = all(present)
    // Wrong values stay out of the arithmetic: an overflow ends the query in some engines.
    return {
      value: sql`CASE WHEN ${isComplete} THEN ${derivedFigure(tools, definition.derived, present)} END`,
      isComplete,
    }
  }
  const total = definition.total === 'sum' ? ({ kind: 'sum' } as const) : definition.total
  switch (total.kind) {
    case 'sum':
      return sumFigure(tools, total, parts)
    case 'grade':
      return { value: (present[0] as Slot).value, isComplete: all(present) }
    case 'rule':
      return ruleFigure(tools, total, parts)
  }
}

function all(slots: readonly Slot[]): Sql {
  return join(slots.map(isUsable), ' AND ', 'TRUE')
}

/** The sum of the usable parts. A severe form that scores replaces the mild one; of alternatives exactly one counts. */
function sumFigure(
  { dialect, slots, slotOf }: FigureTools,
  total: SumDefinition,
  parts: readonly number[],
): Figure {
  const replacedBy = new Map(
    (total.hierarchies ?? []).map((pair) => [slotOf(pair.replaces), slotOf(pair.severe)]),
  )
  const addends = parts.flatMap((part): readonly Sql[] => {
    const slot = slots[part]
    if (slot === undefined) return []
    const severe = slots[replacedBy.get(part) ?? -1]
    const replaced = severe === undefined ? '' : sql` AND NOT (${isUsable(severe)} AND ${severe.value} > 0)`
    return [sql`CASE WHEN ${isUsable(slot)}${replaced} THEN ${slot.value} ELSE ${dialect.double(0)} END`]
  })
  const groups = (total.alternatives ?? []).map((group) => group.map(slotOf))
  const single = parts.filter((part) => !groups.some((group) => group.includes(part)))
  const needed = [
    ...single.map((part) => slots[part]),
    ...groups.map((group) => group.find((part) => slots[part] !== undefined)),
  ]
  const oneOf = groups.map((group) => {
    const given = group.flatMap((part) => slots[part] ?? [])
    return sql`${join(
      given.map((slot) => sql`CASE WHEN ${isUsable(slot)} THEN 1 ELSE 0 END`),
      ' + ',
      '0',
    )} = 1`
  })
  const sum = exactSum(dialect, addends)
  return {
    value: total.to === undefined ? sum : sql`least(${dialect.double(total.to)}, ${sum})`,
    isComplete: needed.includes(undefined)
      ? undefined
      : join([...single.map((part) => isUsable(slots[part] as Slot)), ...oneOf], ' AND ', 'TRUE'),
  }
}

/** Tenths are not exact in binary, so a sum is brought back to the thousandth that it stands for, as in the engine. */
function exactSum(dialect: Dialect, addends: readonly Sql[]): Sql {
  return rounded(dialect, join(addends, ' + ', dialect.double(0)), 1_000)
}

function rounded(dialect: Dialect, value: Sql, unit: number): Sql {
  return sql`floor((${value}) * ${dialect.double(unit)} + ${dialect.double(0.5)}) / ${dialect.double(unit)}`
}

/** A rule may be decided before all of its items are there: by one clause that cannot hold, or by all that hold. */
function ruleFigure(
  { dialect, slots, slotOf }: FigureTools,
  rule: RuleDefinition,
  parts: readonly number[],
): Figure {
  const clauses = rule.all.map((part) => {
    const items = (typeof part === 'string' ? [part] : part.any).map((name) => slots[slotOf(name)])
    const present = items.flatMap((slot) => slot ?? [])
    const holds = join(
      present.map((slot) => sql`(${isUsable(slot)} AND ${slot.value} > 0)`),
      ' OR ',
      'FALSE',
    )
    const isRefuted = present.length < items.length ? sql`FALSE` : sql`(${all(present)} AND NOT (${holds}))`
    return { holds: sql`(${holds})`, isRefuted }
  })
  const allHold = join(
    clauses.map(({ holds }) => holds),
    ' AND ',
    'TRUE',
  )
  const needed = parts.map((part) => slots[part])
  const present = needed.flatMap((slot) => slot ?? [])
  return {
    value: sql`CASE WHEN ${allHold} THEN ${dialect.double(1)} ELSE ${dialect.double(0)} END`,
    isComplete: present.length < needed.length ? undefined : all(present),
    isDecided: sql`(${allHold}) OR ${join(
      clauses.map(({ isRefuted }) => isRefuted),
      ' OR ',
      'FALSE',
    )}`,
  }
}

function derivedFigure(
  { dialect, codesOf }: FigureTools,
  derived: DerivedDefinition,
  parts: readonly Slot[],
): Sql {
  const values = parts.map(({ value }) => value)
  switch (derived.kind) {
    case 'sum':
      return exactSum(dialect, values)
    case 'mean':
      return rounded(
        dialect,
        sql`${exactSum(dialect, values)} / ${dialect.double(parts.length)}`,
        10 ** derived.decimals,
      )
    case 'countAtLeast': {
      const counted = values.map(
        (value) => sql`CASE WHEN ${value} >= ${dialect.double(derived.atLeast)} THEN 1 ELSE 0 END`,
      )
      return sql`CAST(${join(counted, ' + ', '0')} AS ${dialect.doubleType})`
    }
    case 'shifted': {
      const [of, by] = values as [Sql, Sql]
      const shifts = [...codesOf(derived.by)].map(
        ([code, number]) => sql`WHEN ${number} THEN ${dialect.double(derived.points[code] ?? 0)}`,
      )
      const shifted = sql`${of} + CASE ${by} ${join(shifts, ' ', '')} ELSE ${dialect.double(0)} END`
      return sql`least(${dialect.double(derived.to)}, greatest(${dialect.double(derived.from)}, ${shifted}))`
    }
    case 'quotient': {
      const quotient = sql`${values[0] as Sql} / ${dialect.double(derived.by)}`
      return rounded(dialect, quotient, 10 ** derived.decimals)
    }
    case 'inverse': {
      const quotient = sql`${dialect.double(derived.numerator)} / ${values[0] as Sql}`
      return rounded(dialect, quotient, 10 ** derived.decimals)
    }
    case 'sumWithin': {
      const sum = exactSum(dialect, values)
      const within = sql`${sum} BETWEEN ${dialect.double(derived.from)} AND ${dialect.double(derived.to)}`
      return sql`CASE WHEN ${within} THEN ${dialect.double(1)} ELSE ${dialect.double(0)} END`
    }
    case 'byCode':
      return numberByCode(dialect, values[0] as Sql, derived.values, codesOf(derived.of))
    case 'gnri': {
      const [albumin, weight, height, sex] = values as [Sql, Sql, Sql, Sql]
      const { double } = dialect
      const divisor = numberByCode(dialect, sex, derived.divisors, codesOf(derived.by))
      const ideal = sql`(${height} - ${double(100)} - (${height} - ${double(150)}) / ${divisor})`
      const share = sql`least(${double(1)}, ${weight} / ${ideal})`
      const index = sql`${double(derived.albumin)} * ${albumin} + ${double(derived.weight)} * ${share}`
      return rounded(dialect, index, 10 ** derived.decimals)
    }
  }
}

function numberByCode(
  { double }: Dialect,
  value: Sql,
  numbers: Readonly<Record<string, number>>,
  codes: ReadonlyMap<string, number>,
): Sql {
  const branches = [...codes].map(([code, number]) => sql`WHEN ${number} THEN ${double(numbers[code] ?? 0)}`)
  return sql`CASE ${value} ${join(branches, ' ', '')} END`
}
