/**
 * What each field of a scale may hold, computed from its items, in the order in which fields are reported. Nobody types
 * a range a second time.
 */
import { type Domain, UNITS, codeDomain, listDomain, rounded } from './domain.ts'
import { type ScaleForm, scaleForms } from './forms.ts'
import type { DerivedDefinition, MeasureDefinition, ScaleDefinition, SumDefinition } from './scale.ts'

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
  const { items, measures = {}, codings, context = {}, subtotals = {}, derived = {} } = scale
  const forms = scaleForms(scale)
  const part = (role: PartRole, domainOf: (name: string) => Domain) => (name: string) => ({
    name,
    role,
    domain: domainOf(name),
  })
  const inForms = (name: string): Domain => union(forms.flatMap((form) => domainIn(scale, form, name) ?? []))
  return [
    ...Object.keys(items).map(part('item', inForms)),
    ...Object.keys(measures).map(part('item', (name) => measureDomain(measures[name] as MeasureDefinition))),
    ...(codings === undefined ? [] : ['coding']).map(
      part('coding', () => codeDomain(Object.keys(codings?.forms ?? {}))),
    ),
    ...Object.keys(context).map(part('context', (name) => contextDomain(context[name]?.values ?? []))),
    ...Object.keys(subtotals).map(part('subtotal', inForms)),
    part('total', inForms)('total'),
    ...Object.keys(derived).map(part('derived', inForms)),
    part('date', () => ({ kind: 'date' }))('date'),
  ]
}

const known = new WeakMap<ScaleForm, Map<string, Domain | undefined>>()

/** What an item or a figure may hold in one form; undefined for an item that the form does not have. */
export function domainIn(scale: ScaleDefinition, form: ScaleForm, name: string): Domain | undefined {
  const domains = known.get(form) ?? new Map<string, Domain | undefined>()
  known.set(form, domains)
  if (!domains.has(name)) domains.set(name, computeDomain(scale, form, name))
  return domains.get(name)
}

function computeDomain(scale: ScaleDefinition, form: ScaleForm, name: string): Domain | undefined {
  const { items, measures, context, subtotals, derived } = scale
  if (Object.hasOwn(items, name)) {
    const values = form.items.get(name)
    return values === undefined ? undefined : listDomain(values)
  }
  const grade =
    name === 'total' && form.total !== 'sum' && form.total.kind === 'grade' ? form.total : undefined
  const measure = measures?.[grade?.item ?? name]
  if (measure !== undefined) return measureDomain(measure)
  if (name === 'total') return listDomain(totalsOf(form))
  const numbers = context?.[name]?.values
  if (Array.isArray(numbers)) return listDomain(numbers)
  const valuesOf = (part: string): readonly number[] => {
    const domain = domainIn(scale, form, part)
    return domain?.kind === 'list' ? domain.values : []
  }
  const subtotal = subtotals?.[name]
  if (subtotal !== undefined) return listDomain(sumsOf(subtotal.items.map(valuesOf)))
  const definition = derived?.[name]
  return definition === undefined ? undefined : derivedDomain(definition, valuesOf)
}

function measureDomain({ from, to, step }: MeasureDefinition): Domain {
  return { kind: 'decimal', from, to, step }
}

export function contextDomain(values: readonly number[] | Readonly<Record<string, string>>): Domain {
  return Array.isArray(values) ? listDomain(values as readonly number[]) : codeDomain(Object.keys(values))
}

/** Every total that a form can reach. */
function totalsOf(form: ScaleForm): readonly number[] {
  const total = form.total === 'sum' ? ({ kind: 'sum' } as const) : form.total
  switch (total.kind) {
    case 'sum': {
      const { to = Infinity }: SumDefinition = total
      return sumsOf(sumParts(form, total)).map((sum) => Math.min(sum, to))
    }
    case 'grade':
      return form.items.get(total.item) ?? []
    case 'rule':
      return [0, 1]
  }
}

/** The independent parts of a sum: alternatives count as one part, and so do the two forms of a hierarchy. */
function sumParts(form: ScaleForm, total: SumDefinition): readonly (readonly number[])[] {
  const valuesOf = (name: string): readonly number[] => form.items.get(name) ?? []
  const { alternatives = [], hierarchies = [] } = total
  const taken = [...alternatives.flat(), ...hierarchies.flatMap(({ severe, replaces }) => [severe, replaces])]
  return [
    ...alternatives.map((group) => group.flatMap(valuesOf)),
    ...hierarchies.map(({ severe, replaces }) =>
      valuesOf(severe).flatMap((value) =>
        value > 0 ? value : valuesOf(replaces).map((mild) => mild + value),
      ),
    ),
    ...[...form.items.keys()].filter((name) => !taken.includes(name)).map(valuesOf),
  ]
}

function sumsOf(parts: readonly (readonly number[])[]): readonly number[] {
  let sums = new Set([0])
  for (const values of parts) {
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
    case 'sumWithin':
      return listDomain([0, 1])
    case 'byCode':
      return listDomain(Object.values(derived.values))
    // Only measures follow in these ways, and a measure states its own range.
    case 'inverse':
    case 'gnri':
      return { kind: 'decimal', from: -Infinity, to: Infinity }
  }
}

/** What a field may hold in any of the forms; which of them counts is settled when the coding is known. */
function union(domains: readonly Domain[]): Domain {
  const first = domains[0] as Domain
  if (domains.length === 1) return first
  if (first.kind === 'list') {
    return listDomain(domains.flatMap((domain) => (domain.kind === 'list' ? domain.values : [])))
  }
  const ranges = domains.filter((domain) => domain.kind === 'decimal')
  return {
    kind: 'decimal',
    from: Math.min(...ranges.map((range) => range.from)),
    to: Math.max(...ranges.map((range) => range.to)),
  }
}
