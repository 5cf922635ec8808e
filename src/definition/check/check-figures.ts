/** Checks the computed figures of a scale: they name parts that exist, and none depends on itself. */
import type { FaultList } from '../fault.ts'
import { partsOf } from '../forms.ts'
import type { DerivedDefinition, ScaleDefinition, TotalDefinition } from '../scale.ts'

export function checkFigures(scale: ScaleDefinition, faults: FaultList): void {
  const allItems = [...Object.keys(scale.items), ...Object.keys(scale.measures ?? {})]
  checkTotal(scale.total, allItems, faults.at('/total'))
  for (const [name, form] of Object.entries(scale.codings?.forms ?? {})) {
    const { total, items } = form
    const here = faults.at(`/codings/forms/${name}`)
    if (total !== undefined) checkTotal(total, items ?? allItems, here.at('/total'))
    // A form with items of its own and no total of its own takes the scale's, which must find its items.
    else if (items !== undefined) checkTotal(scale.total, items, here.at('/items'))
  }
  checkSubtotals(scale, faults)
  checkDerived(scale, faults)
  checkComputed(scale, faults)
}

function checkTotal(total: TotalDefinition, items: readonly string[], faults: FaultList): void {
  if (total === 'sum') return
  const seen = new Set<string>()
  for (const { at, name } of namesOf(total)) {
    if (!items.includes(name)) faults.add(at, 'unknown-item', `there is no item ${name}`)
    if (total.kind === 'sum' && seen.has(name))
      faults.add(at, 'item-twice', `${name} takes part in two alternatives or hierarchies`)
    seen.add(name)
  }
  if (total.kind !== 'sum') return
  total.alternatives?.forEach((group, index) => {
    if (group.length < 2) faults.add(`/alternatives/${index}`, 'alternatives', 'alternatives are two or more')
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
    const here = faults.at(`/derived/${name}`)
    if (derived.label === undefined) here.add('', 'label', 'a derived figure has a label')
    if (!FIGURES.has(derived.kind)) here.add('', 'computed', 'only an item or a measure follows in this way')
    for (const part of derived.kind === 'shifted' ? [derived.of] : partsOf(derived)) {
      if (known.has(part)) continue
      if (Object.hasOwn(all, part))
        here.add('', 'derived-cycle', `uses ${part}, which uses it or is listed after it`)
      else here.add('', 'unknown-part', `there is no number called ${part}`)
    }
    if (derived.kind === 'shifted') checkShifted(scale, derived, here)
    known.add(name)
  }
}

type Shifted = Extract<DerivedDefinition, { kind: 'shifted' }>

function checkShifted({ context = {} }: ScaleDefinition, derived: Shifted, faults: FaultList): void {
  if (derived.from > derived.to) faults.add('', 'range', '`from` lies above `to`')
  const codes = Object.hasOwn(context, derived.by) ? context[derived.by]?.values : undefined
  if (codes === undefined || Array.isArray(codes)) {
    faults.add('/by', 'unknown-part', `there are no codes called ${derived.by}`)
    return
  }
  const expected = Object.keys(codes).sort().join(', ')
  if (Object.keys(derived.points).sort().join(', ') !== expected)
    faults.add('/points', 'codes-complete', `has points for exactly ${expected}`)
}

/** An item or a measure may follow from other items, measures and context, never from one that is computed itself. */
function checkComputed(scale: ScaleDefinition, faults: FaultList): void {
  const { items, measures = {}, context = {}, computed = {} } = scale
  for (const [name, definition] of Object.entries(computed)) {
    const here = faults.at(`/computed/${name}`)
    if (!Object.hasOwn(items, name) && !Object.hasOwn(measures, name))
      here.add('', 'unknown-item', `there is no item or measure ${name}`)
    if (FIGURES.has(definition.kind))
      here.add('', 'computed', 'an item or a measure does not follow in this way')
    for (const part of partsOf(definition)) {
      const isKnown = [items, measures, context].some((group) => Object.hasOwn(group, part))
      if (!isKnown || Object.hasOwn(computed, part))
        here.add('', 'unknown-part', `there is no given value called ${part}`)
    }
    if (definition.kind !== 'byCode' && definition.kind !== 'gnri') continue
    const [of, numbers] =
      definition.kind === 'byCode' ? [definition.of, definition.values] : [definition.by, definition.divisors]
    const values = context[of]?.values ?? {}
    const expected = Array.isArray(values) ? [] : Object.keys(values)
    if (Object.keys(numbers).sort().join() !== expected.sort().join())
      here.add('', 'codes-complete', `has a number for exactly ${expected.join(', ')}`)
  }
}
