/** Which totals a scale can reach, computed from its items. Nobody types a range a second time. */
import type { ScaleForm } from './forms.ts'
import type { DerivedDefinition, ScaleDefinition, SumDefinition, TotalDefinition } from './scale.ts'

/** Half points are exact in binary, and so are their sums; tenths are not, so sums are taken on whole units. */
const UNITS = 1_000

/** Every total that a form can reach, in ascending order. */
export function reachableTotals(form: ScaleForm): readonly number[] {
  const total: Exclude<TotalDefinition, 'sum'> = form.total === 'sum' ? { kind: 'sum' } : form.total
  switch (total.kind) {
    case 'sum':
      return capped(reachableSums(sumParts(form, total)), total.to)
    case 'grade':
      return form.items.get(total.item) ?? []
    case 'rule':
      return [0, 1]
  }
}

/** Every sum of a choice of items: the subtotal of a scale. */
export function reachableSubtotals(form: ScaleForm, items: readonly string[]): readonly number[] {
  return reachableSums(items.map((item) => form.items.get(item) ?? []))
}

export interface Reach {
  readonly values?: readonly number[]
  readonly from: number
  readonly to: number
}

/** What a derived value can reach: a list, or a range where it is a mean. */
export function reachableDerived(scale: ScaleDefinition, form: ScaleForm, derived: DerivedDefinition): Reach {
  switch (derived.kind) {
    case 'sum':
      return listed(reachableSums(derived.of.map((name) => reachableOf(scale, form, name))))
    case 'mean': {
      const reach = derived.of.map((name) => reachableOf(scale, form, name))
      // The figure itself is rounded, so its ends are too: 8/3 is written 2.67, which lies above 8/3.
      const unit = 10 ** derived.decimals
      const rounded = (values: readonly number[]): number => Math.round(mean(values) * unit) / unit
      return {
        from: rounded(reach.map((values) => Math.min(...values))),
        to: rounded(reach.map((values) => Math.max(...values))),
      }
    }
    case 'countAtLeast':
      return listed(derived.of.map((_, index) => index).concat(derived.of.length))
    case 'shifted': {
      const points = Object.values(derived.points)
      const values = reachableOf(scale, form, derived.of).flatMap((value) =>
        points.map((shift) => Math.min(derived.to, Math.max(derived.from, value + shift))),
      )
      return listed(ascending(values))
    }
    case 'quotient': {
      const unit = 10 ** derived.decimals
      const values = reachableOf(scale, form, derived.of)
      return listed(ascending(values.map((value) => Math.round((value / derived.by) * unit) / unit)))
    }
    case 'sumWithin':
      return listed([0, 1])
    case 'byCode':
      return listed(ascending(Object.values(derived.values)))
    // Only measures follow in these ways, and a measure states its own range.
    case 'inverse':
    case 'gnri':
      return { from: -Infinity, to: Infinity }
  }
}

/** What any named value of the scale can reach: an item, a context value, a subtotal, the total, or a derived value. */
function reachableOf(scale: ScaleDefinition, form: ScaleForm, name: string): readonly number[] {
  if (name === 'total') return reachableTotals(form)
  const item = form.items.get(name)
  if (item !== undefined) return item
  const context = scale.context?.[name]?.values
  if (Array.isArray(context)) return context
  const subtotal = scale.subtotals?.[name]
  if (subtotal !== undefined) return reachableSubtotals(form, subtotal.items)
  const derived = scale.derived?.[name]
  return derived === undefined ? [] : (reachableDerived(scale, form, derived).values ?? [])
}

/** The independent parts of a sum: alternatives count as one part, and so do the two forms of a hierarchy. */
function sumParts(form: ScaleForm, total: SumDefinition): readonly (readonly number[])[] {
  const parts: (readonly number[])[] = []
  const taken = new Set<string>()
  for (const group of total.alternatives ?? []) {
    group.forEach((name) => taken.add(name))
    parts.push(ascending(group.flatMap((name) => form.items.get(name) ?? [])))
  }
  for (const { severe, replaces } of total.hierarchies ?? []) {
    taken.add(severe).add(replaces)
    const mild = form.items.get(replaces) ?? []
    parts.push(
      ascending(
        (form.items.get(severe) ?? []).flatMap((value) => (value > 0 ? value : mild.map((m) => m + value))),
      ),
    )
  }
  for (const [name, values] of form.items) if (!taken.has(name)) parts.push(values)
  return parts
}

function reachableSums(parts: readonly (readonly number[])[]): readonly number[] {
  let sums = new Set([0])
  for (const values of parts) {
    const next = new Set<number>()
    for (const sum of sums) for (const value of values) next.add(sum + Math.round(value * UNITS))
    sums = next
  }
  return ascending([...sums].map((sum) => sum / UNITS))
}

function capped(sums: readonly number[], to = Infinity): readonly number[] {
  return ascending(sums.map((sum) => Math.min(sum, to)))
}

function listed(values: readonly number[]): Reach {
  return { values, from: values[0] ?? 0, to: values.at(-1) ?? 0 }
}

function ascending(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
