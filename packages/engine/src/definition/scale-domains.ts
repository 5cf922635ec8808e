/** What each field of a scale may hold, in the order in which fields are reported: computed from its items, never typed by hand. */
import { type Domain, UNITS, codeDomain, listDomain, rangeOf, rounded } from './domain.ts'
import type {
  ContextDefinition,
  DerivedDefinition,
  ScaleDefinition,
  SumDefinition,
  TotalDefinition,
} from './scale.ts'

/** A way to record a scale. A scale without codings has one form without a name. */
export interface ScaleForm {
  /** The coding's name, or null where the scale has only one way. */
  readonly coding: string | null
  /** How far the items of this form are above the base values. */
  readonly shift: number
  /** The permitted values of each item, as written in this form. */
  readonly items: ReadonlyMap<string, readonly number[]>
  readonly total: TotalDefinition
  /** The answers of `domainIn`: definitions do not change once they are read. */
  readonly domains: Map<string, Domain | undefined>
}

const known = new WeakMap<ScaleDefinition, readonly ScaleForm[]>()

export function scaleForms(scale: ScaleDefinition): readonly ScaleForm[] {
  const forms = known.get(scale) ?? makeForms(scale)
  known.set(scale, forms)
  return forms
}

type FormParts = Partial<NonNullable<ScaleDefinition['codings']>['forms'][string]>

function makeForms(scale: ScaleDefinition): readonly ScaleForm[] {
  const codings = scale.codings === undefined ? [[null, {}] as const] : Object.entries(scale.codings.forms)
  return codings.map(([coding, form]: readonly [string | null, FormParts]) => {
    const { shift = 0, items = Object.keys(scale.items), narrowed = {}, total = scale.total } = form
    const valuesOf = (name: string): readonly number[] => narrowed[name] ?? scale.items[name]?.values ?? []
    const shifted = items.map((name) => [name, valuesOf(name).map((value) => value + shift)] as const)
    return { coding, shift, items: new Map(shifted), total, domains: new Map() }
  })
}

/** The names of the values that a computed figure follows from. */
export function partsOf(definition: DerivedDefinition): readonly string[] {
  const of = typeof definition.of === 'string' ? [definition.of] : definition.of
  if (definition.kind === 'banded')
    return [...new Set([...of, ...definition.bands.flatMap(({ when = {} }) => Object.keys(when))])]
  return definition.kind === 'shifted' || definition.kind === 'gnri' ? [...of, definition.by] : of
}

/** The field of the record itself that a part is named after: `age` for `record:age`. Undefined for a part of the scale. */
export function recordField(part: string): string | undefined {
  return part.startsWith('record:') ? part.slice('record:'.length) : undefined
}

/** The parts of a scale that every scale has, or that a definition may not take for an item. */
export const RESERVED = ['total', 'date', 'coding'] as const

export type PartRole = 'item' | 'coding' | 'context' | 'subtotal' | 'total' | 'derived' | 'date'

export interface ScalePart {
  /** The name after the scale's prefix. */
  readonly name: string
  readonly role: PartRole
  readonly domain: Domain
}

/** The parts of a scale, with what they may hold in any of its forms. */
export function scaleParts(scale: ScaleDefinition): readonly ScalePart[] {
  const names: readonly (readonly [PartRole, object])[] = [
    ['item', scale.items],
    ['item', scale.measures ?? {}],
    ['coding', scale.codings === undefined ? {} : { coding: true }],
    ['context', scale.context ?? {}],
    ['subtotal', scale.subtotals ?? {}],
    ['total', { total: true }],
    ['derived', scale.derived ?? {}],
    ['date', { date: true }],
  ]
  return names.flatMap(([role, parts]) =>
    Object.keys(parts).map((name) => {
      const domains = scaleForms(scale).flatMap((form) => domainIn(scale, form, name) ?? [])
      return { name, role, domain: union(domains) }
    }),
  )
}

/** What a part may hold in one form; undefined for an item that the form does not have. */
export function domainIn(scale: ScaleDefinition, form: ScaleForm, name: string): Domain | undefined {
  const { domains } = form
  if (!domains.has(name)) domains.set(name, computeDomain(scale, form, name))
  return domains.get(name)
}

function computeDomain(scale: ScaleDefinition, form: ScaleForm, name: string): Domain | undefined {
  const { measures, context, subtotals, derived, codings } = scale
  if (name === 'date') return { kind: 'date' }
  if (name === 'coding') return codeDomain(Object.keys(codings?.forms ?? {}))
  const values = form.items.get(name)
  if (values !== undefined) return listDomain(values)
  const grade =
    name === 'total' && form.total !== 'sum' && form.total.kind === 'grade' ? form.total : undefined
  const measure = measures?.[grade?.item ?? name]
  if (measure !== undefined)
    return { kind: 'decimal', from: measure.from, to: measure.to, step: measure.step }
  if (name === 'total') return listDomain(totalsOf(form))
  const given = context?.[name]?.values
  if (given !== undefined) return Array.isArray(given) ? listDomain(given) : codeDomain(Object.keys(given))
  const valuesOf = (part: string): readonly number[] => {
    const domain = domainIn(scale, form, part)
    return domain?.kind === 'list' ? domain.values : []
  }
  const subtotal = subtotals?.[name]
  if (subtotal !== undefined) return listDomain(sumsOf(subtotal.items.map(valuesOf)))
  const definition = derived?.[name]
  return definition === undefined ? undefined : derivedDomain(definition, valuesOf)
}

/**
 * Every total that a form can reach; `given` are items whose value is known, as written in this form. `take` is told of the additions
 * before they are done, and may throw.
 */
export function totalsOf(
  form: ScaleForm,
  given: ReadonlyMap<string, number> = new Map(),
  take?: (additions: number) => void,
): readonly number[] {
  const total: Exclude<TotalDefinition, 'sum'> = form.total === 'sum' ? { kind: 'sum' } : form.total
  if (total.kind === 'rule') return [0, 1]
  if (total.kind === 'grade') return form.items.get(total.item) ?? []
  return sumsOf(sumParts(form, total, given), take).map((sum) => Math.min(sum, total.to ?? Infinity))
}

/** The independent parts of a sum: alternatives count as one part, and so do the two forms of a hierarchy. */
function sumParts(
  form: ScaleForm,
  total: SumDefinition,
  given: ReadonlyMap<string, number>,
): readonly (readonly number[])[] {
  const valuesOf = (name: string): readonly number[] => {
    const value = given.get(name)
    return value === undefined ? (form.items.get(name) ?? []) : [value]
  }
  const { alternatives = [], hierarchies = [] } = total
  const counted = (group: readonly string[]): readonly string[] =>
    group.some((name) => given.has(name)) ? group.filter((name) => given.has(name)) : group
  const taken = [...alternatives.flat(), ...hierarchies.flatMap(({ severe, replaces }) => [severe, replaces])]
  return [
    ...alternatives.map((group) => counted(group).flatMap(valuesOf)),
    ...hierarchies.map(({ severe, replaces }) =>
      valuesOf(severe).flatMap((value) =>
        value > 0 ? value : valuesOf(replaces).map((mild) => mild + value),
      ),
    ),
    ...[...form.items.keys()].filter((name) => !taken.includes(name)).map(valuesOf),
  ]
}

/** Every sum of one value from each part. */
export function sumsOf(
  parts: readonly (readonly number[])[],
  take?: (additions: number) => void,
): readonly number[] {
  let sums = new Set([0])
  for (const values of parts) {
    take?.(sums.size * values.length)
    const next = new Set<number>()
    for (const sum of sums) for (const value of values) next.add(sum + Math.round(value * UNITS))
    sums = next
  }
  return [...sums].map((sum) => sum / UNITS)
}

/** What a derived value can reach: a list, or a range where it is a mean. */
function derivedDomain(derived: DerivedDefinition, valuesOf: (part: string) => readonly number[]): Domain {
  switch (derived.kind) {
    case 'sum':
      return listDomain(sumsOf(derived.of.map(valuesOf)))
    case 'mean': {
      // The figure itself is rounded, so its ends are too: 8/3 is written 2.67, which lies above 8/3.
      const reach = derived.of.map(valuesOf)
      const meanOf = (end: (...values: number[]) => number): number =>
        rounded(reach.reduce((sum, values) => sum + end(...values), 0) / reach.length, derived.decimals)
      return { kind: 'decimal', from: meanOf(Math.min), to: meanOf(Math.max) }
    }
    case 'countAtLeast':
      return listDomain([0, ...derived.of.map((_, index) => index + 1)])
    case 'shifted': {
      const within = (value: number): number => Math.min(derived.to, Math.max(derived.from, value))
      const shifts = Object.values(derived.points)
      return listDomain(valuesOf(derived.of).flatMap((value) => shifts.map((shift) => within(value + shift))))
    }
    case 'quotient':
      return listDomain(valuesOf(derived.of).map((value) => rounded(value / derived.by, derived.decimals)))
    default:
      // Only items and measures follow in the other ways, and they state their own values.
      throw new Error(`${derived.kind} is not a way of a derived figure`)
  }
}

/** What a field may hold in any of the forms; which one applies is known with the coding. */
function union(domains: readonly Domain[]): Domain {
  const [first, second] = domains as readonly [Domain, ...Domain[]]
  if (second === undefined || (first.kind !== 'list' && first.kind !== 'decimal')) return first
  if (first.kind === 'list')
    return listDomain(domains.flatMap((domain) => (domain.kind === 'list' ? domain.values : [])))
  const ranges = domains.flatMap((domain) => rangeOf(domain) ?? [])
  return {
    kind: 'decimal',
    from: Math.min(...ranges.map(({ from }) => from)),
    to: Math.max(...ranges.map(({ to }) => to)),
  }
}

/** Each code of a context and what it means; undefined where its values are numbers. */
export function codeMeanings({ values }: ContextDefinition): Readonly<Record<string, string>> | undefined {
  return Array.isArray(values) ? undefined : (values as Readonly<Record<string, string>>)
}
