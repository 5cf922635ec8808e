/** What each field of a scale may hold, computed from its items, in the order in which fields are reported. */
import { type Domain, codeDomain, listDomain } from './domain.ts'
import { type ScaleForm, scaleForms } from './forms.ts'
import { reachableDerived, reachableSubtotals, reachableTotals } from './reachable.ts'
import type { DerivedDefinition, MeasureDefinition, ScaleDefinition } from './scale.ts'

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
  const forms = scaleForms(scale)
  const parts: ScalePart[] = []
  const addFormed = (name: string, role: PartRole): void => {
    const domains = forms.flatMap((form) => domainIn(scale, form, name) ?? [])
    parts.push({ name, role, domain: union(domains) })
  }
  for (const name of Object.keys(scale.items)) addFormed(name, 'item')
  for (const [name, measure] of Object.entries(scale.measures ?? {}))
    parts.push({ name, role: 'item', domain: measureDomain(measure) })
  if (scale.codings !== undefined) {
    parts.push({ name: 'coding', role: 'coding', domain: codeDomain(Object.keys(scale.codings.forms)) })
  }
  for (const [name, { values }] of Object.entries(scale.context ?? {})) {
    parts.push({ name, role: 'context', domain: contextDomain(values) })
  }
  for (const name of Object.keys(scale.subtotals ?? {})) addFormed(name, 'subtotal')
  addFormed('total', 'total')
  for (const name of Object.keys(scale.derived ?? {})) addFormed(name, 'derived')
  parts.push({ name: 'date', role: 'date', domain: { kind: 'date' } })
  return parts
}

/** What an item or a figure may hold in one form; undefined for an item that the form does not have. */
export function domainIn(scale: ScaleDefinition, form: ScaleForm, name: string): Domain | undefined {
  if (Object.hasOwn(scale.items, name)) {
    const values = form.items.get(name)
    return values === undefined ? undefined : listDomain(values)
  }
  const measure = measureOfTotal(scale, form, name)
  if (measure !== undefined) return measureDomain(measure)
  if (name === 'total') return listDomain(reachableTotals(form))
  const context = scale.context?.[name]?.values
  if (Array.isArray(context)) return listDomain(context)
  const subtotal = scale.subtotals?.[name]
  if (subtotal !== undefined) return listDomain(reachableSubtotals(form, subtotal.items))
  const reach = reachableDerived(scale, form, scale.derived?.[name] as DerivedDefinition)
  return reach.values === undefined
    ? { kind: 'decimal', from: reach.from, to: reach.to }
    : listDomain(reach.values)
}

/** The measure that a name stands for: one of the measures, or a total that is one of them. */
function measureOfTotal(
  { measures }: ScaleDefinition,
  { total }: ScaleForm,
  name: string,
): MeasureDefinition | undefined {
  const isGrade = name === 'total' && total !== 'sum' && total.kind === 'grade'
  return measures?.[isGrade ? total.item : name]
}

function measureDomain({ from, to, step }: MeasureDefinition): Domain {
  return { kind: 'decimal', from, to, step }
}

export function contextDomain(values: readonly number[] | Readonly<Record<string, string>>): Domain {
  return Array.isArray(values) ? listDomain(values as readonly number[]) : codeDomain(Object.keys(values))
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
