/** Checks the computed figures of a scale: they name parts that exist, and none depends on itself. */
import type { FaultList } from '../fault.ts'
import { partsOf } from '../forms.ts'
import type { DerivedDefinition, ScaleDefinition, TotalDefinition } from '../scale.ts'

export function checkFigures(scale: ScaleDefinition, faults: FaultList): void {
  const allItems = [...Object.keys(scale.items), ...Object.keys(scale.measures ?? {})]
  checkTotal('/total', scale.total, allItems, faults)
  for (const [name, form] of Object.entries(scale.codings?.forms ?? {})) {
    const path = `/codings/forms/${name}`
    if (form.total !== undefined) checkTotal(`${path}/total`, form.total, form.items ?? allItems, faults)
    // A form with items of its own and no total of its own takes the scale's, which must find its items.
    else if (form.items !== undefined) checkTotal(`${path}/items`, scale.total, form.items, faults)
  }
  checkSubtotals(scale, faults)
  checkDerived(scale, faults)
  checkComputed(scale, faults)
}

function checkTotal(path: string, total: TotalDefinition, items: readonly string[], faults: FaultList): void {
  if (total === 'sum') return
  const named = namesOf(total)
  for (const { at, name } of named) {
    if (!items.includes(name)) faults.add(path + at, 'unknown-item', `there is no item ${name}`)
  }
  if (total.kind !== 'sum') return
  const seen = new Set<string>()
  for (const { at, name } of named) {
    if (seen.has(name))
      faults.add(path + at, 'item-twice', `${name} takes part in two alternatives or hierarchies`)
    seen.add(name)
  }
  total.alternatives?.forEach((group, index) => {
    if (group.length < 2)
      faults.add(`${path}/alternatives/${index}`, 'alternatives', 'alternatives are two or more')
  })
}

function namesOf(total: Exclude<TotalDefinition, 'sum'>): { at: string; name: string }[] {
  switch (total.kind) {
    case 'grade':
      return [{ at: '/item', name: total.item }]
    case 'rule':
      return total.all.flatMap((part, index) =>
        (typeof part === 'string' ? [part] : part.any).map((name) => ({ at: `/all/${index}`, name })),
      )
    case 'sum':
      return [
        ...(total.alternatives ?? []).flatMap((group, index) =>
          group.map((name) => ({ at: `/alternatives/${index}`, name })),
        ),
        ...(total.hierarchies ?? []).flatMap(({ severe, replaces }, index) =>
          [severe, replaces].map((name) => ({ at: `/hierarchies/${index}`, name })),
        ),
      ]
  }
}

/** Subtotals share out all items, so that a total beside them must be their sum. */
function checkSubtotals(scale: ScaleDefinition, faults: FaultList): void {
  if (scale.subtotals === undefined) return
  const counted = new Map(Object.keys(scale.items).map((name) => [name, 0]))
  for (const [name, { items }] of Object.entries(scale.subtotals)) {
    for (const item of items) {
      const count = counted.get(item)
      if (count === undefined)
        faults.add(`/subtotals/${name}/items`, 'unknown-item', `there is no item ${item}`)
      else counted.set(item, count + 1)
    }
  }
  for (const [item, count] of counted) {
    if (count !== 1)
      faults.add('/subtotals', 'subtotals-partition', `${item} belongs to ${count} subtotals, not to one`)
  }
}

/** The kinds of a derived figure; the others belong to items and measures. */
const FIGURES: ReadonlySet<string> = new Set(['sum', 'mean', 'countAtLeast', 'shifted', 'quotient'])

/** A derived figure may use items, context, subtotals, the total, and derived figures that are listed before it. */
function checkDerived(scale: ScaleDefinition, faults: FaultList): void {
  const known = new Set([
    ...Object.keys(scale.items),
    ...Object.keys(scale.measures ?? {}),
    ...Object.keys(scale.subtotals ?? {}),
    'total',
  ])
  for (const [name, context] of Object.entries(scale.context ?? {}))
    if (Array.isArray(context.values)) known.add(name)
  const all = scale.derived ?? {}
  for (const [name, derived] of Object.entries(all)) {
    const path = `/derived/${name}`
    if (derived.label === undefined) faults.add(path, 'label', 'a derived figure has a label')
    if (!FIGURES.has(derived.kind))
      faults.add(path, 'computed', 'only an item or a measure follows in this way')
    for (const part of derived.kind === 'shifted' ? [derived.of] : partsOf(derived)) {
      if (known.has(part)) continue
      if (Object.hasOwn(all, part)) {
        faults.add(path, 'derived-cycle', `uses ${part}, which uses it or is listed after it`)
      } else faults.add(path, 'unknown-part', `there is no number called ${part}`)
    }
    if (derived.kind === 'shifted') checkShifted(path, scale, derived, faults)
    known.add(name)
  }
}

function checkShifted(
  path: string,
  scale: ScaleDefinition,
  derived: Extract<DerivedDefinition, { kind: 'shifted' }>,
  faults: FaultList,
): void {
  if (derived.from > derived.to) faults.add(path, 'range', '`from` lies above `to`')
  const context = scale.context ?? {}
  const codes = Object.hasOwn(context, derived.by) ? context[derived.by]?.values : undefined
  if (codes === undefined || Array.isArray(codes)) {
    faults.add(`${path}/by`, 'unknown-part', `there are no codes called ${derived.by}`)
    return
  }
  const expected = Object.keys(codes).sort().join(', ')
  if (Object.keys(derived.points).sort().join(', ') !== expected) {
    faults.add(`${path}/points`, 'codes-complete', `has points for exactly ${expected}`)
  }
}

/** An item or a measure may follow from other items, measures and context, never from one that is computed itself. */
function checkComputed(scale: ScaleDefinition, faults: FaultList): void {
  const { items, measures = {}, context = {}, computed = {} } = scale
  for (const [name, definition] of Object.entries(computed)) {
    const path = `/computed/${name}`
    if (!Object.hasOwn(items, name) && !Object.hasOwn(measures, name))
      faults.add(path, 'unknown-item', `there is no item or measure ${name}`)
    if (FIGURES.has(definition.kind))
      faults.add(path, 'computed', 'an item or a measure does not follow in this way')
    for (const part of partsOf(definition)) {
      const isKnown = [items, measures, context].some((group) => Object.hasOwn(group, part))
      if (!isKnown || Object.hasOwn(computed, part))
        faults.add(path, 'unknown-part', `there is no given value called ${part}`)
    }
    const codes = codesFor(definition)
    if (codes === undefined) continue
    const values = context[codes.of]?.values ?? {}
    const expected = Array.isArray(values) ? [] : Object.keys(values)
    if ([...codes.given].sort().join() !== expected.sort().join())
      faults.add(path, 'codes-complete', `has a number for exactly ${expected.join(', ')}`)
  }
}

function codesFor(definition: DerivedDefinition): { of: string; given: readonly string[] } | undefined {
  if (definition.kind === 'byCode') return { of: definition.of, given: Object.keys(definition.values) }
  return definition.kind === 'gnri'
    ? { of: definition.by, given: Object.keys(definition.divisors) }
    : undefined
}
