/** Checks the codings and the computed figures of a scale: they name parts that exist, and none depends on itself. */
import { UNITS } from '../domain.ts'
import { inThousandths } from '../exact-fractions.ts'
import type { FaultList } from '../fault.ts'
import { partsOf } from '../scale-domains.ts'
import type { CodingDefinition, ScaleDefinition, TotalDefinition } from '../scale.ts'
import { checkBanded, checkGnri, checkInverse, checkPermitted, checkRatio } from './check-readings.ts'

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
  for (const [at, names] of namesIn(total)) {
    for (const name of names) {
      if (!items.includes(name)) faults.add(at, 'unknown-item', `there is no item ${name}`)
      if (total.kind === 'sum' && seen.has(name))
        faults.add(at, 'item-twice', `${name} takes part in two alternatives or hierarchies`)
      seen.add(name)
    }
    if (at.startsWith('/alternatives') && names.length < 2)
      faults.add(at, 'alternatives', 'alternatives are two or more')
  }
}

/** The items that a total names, by place. */
function namesIn(total: Exclude<TotalDefinition, 'sum'>): readonly (readonly [string, readonly string[]])[] {
  if (total.kind === 'grade') return [['/item', [total.item]]]
  if (total.kind === 'rule')
    return total.all.map((part, at) => [`/all/${at}`, typeof part === 'string' ? [part] : part.any])
  const { alternatives = [], hierarchies = [] } = total
  return [
    ...alternatives.map((group, at) => [`/alternatives/${at}`, group] as const),
    ...hierarchies.map(({ severe, replaces }, at) => [`/hierarchies/${at}`, [severe, replaces]] as const),
  ]
}

/** Each item must be in exactly one subtotal, so that the total is the sum of the subtotals. */
function checkSubtotals(scale: ScaleDefinition, faults: FaultList): void {
  if (scale.subtotals === undefined) return
  const counted = new Map(Object.keys(scale.items).map((name) => [name, 0]))
  for (const [name, { items }] of Object.entries(scale.subtotals)) {
    for (const item of items) {
      const count = counted.get(item)
      if (count !== undefined) counted.set(item, count + 1)
      else faults.add(`/subtotals/${name}/items`, 'unknown-item', `there is no item ${item}`)
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
  const { items, measures, subtotals, context = {}, derived: all = {} } = scale
  const numbers = Object.entries(context).filter(([, { values }]) => Array.isArray(values))
  const known = new Set(Object.keys({ ...items, ...measures, ...subtotals, total: 0 }))
  for (const [name] of numbers) known.add(name)
  for (const [name, derived] of Object.entries(all)) {
    const here = faults.at(`/derived/${name}`)
    if (derived.label === undefined) here.add('', 'label', 'a derived figure has a label')
    if (!FIGURES.has(derived.kind)) here.add('', 'computed', 'only an item or a measure follows in this way')
    if (derived.kind === 'quotient' && inThousandths(derived.by) / UNITS !== derived.by)
      here.add('/by', 'values-exact', 'has at most three decimals')
    for (const part of derived.kind === 'shifted' ? [derived.of] : partsOf(derived)) {
      if (known.has(part)) continue
      if (Object.hasOwn(all, part))
        here.add('', 'derived-cycle', `uses ${part}, which uses it or is listed after it`)
      else here.add('', 'unknown-part', `there is no number called ${part}`)
    }
    if (derived.kind === 'shifted') {
      if (derived.from > derived.to) here.add('', 'range', '`from` lies above `to`')
      const codes = codesOf(scale, derived.by)
      if (codes === undefined) here.add('/by', 'unknown-part', `there are no codes called ${derived.by}`)
      else if (!isFor(codes, derived.points))
        here.add('/points', 'codes-complete', `has points for exactly ${codes.join(', ')}`)
    }
    known.add(name)
  }
}

/** The codes of a context, sorted. Undefined if the context holds numbers, or if no context has this name. */
function codesOf({ context = {} }: ScaleDefinition, name: string): readonly string[] | undefined {
  const values = Object.hasOwn(context, name) ? context[name]?.values : undefined
  return values === undefined || Array.isArray(values) ? undefined : Object.keys(values).sort()
}

function isFor(codes: readonly string[], numbers: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(numbers).sort().join('\n') === codes.join('\n')
}

/** A value may follow from items, measures and context, also from computed ones that are listed before it. */
function checkComputed(scale: ScaleDefinition, faults: FaultList): void {
  const { items, measures = {}, context = {}, computed = {} } = scale
  const parts = Object.keys({ ...items, ...measures, ...context })
  const known = new Set(parts.filter((name) => !Object.hasOwn(computed, name)))
  for (const [name, definition] of Object.entries(computed)) {
    const { kind } = definition
    const here = faults.at(`/computed/${name}`)
    if (!parts.includes(name)) here.add('', 'unknown-item', `there is no item or measure ${name}`)
    if (FIGURES.has(kind)) here.add('', 'computed', 'an item or a measure does not follow in this way')
    const ofRecord = { banded: 'record:age', byCode: 'record:sex' }[kind as string]
    for (const part of partsOf(definition)) {
      if (!known.has(part) && part !== ofRecord)
        here.add('', 'unknown-part', `there is no given value called ${part}`)
    }
    known.add(name)
    if (kind === 'banded') checkBanded(scale, name, definition, here)
    if (kind === 'bodyMassIndex' || kind === 'percentLost') checkRatio(scale, name, definition, here)
    if (kind === 'inverse') checkInverse(scale, name, definition, here)
    if (kind === 'gnri') checkGnri(scale, name, definition, here)
    if (kind === 'byCode')
      checkPermitted(
        scale,
        Object.values(definition.values).map((value) => [name, value]),
        here,
      )
    if ((kind !== 'byCode' && kind !== 'gnri') || definition.of === ofRecord) continue
    const [of, numbers] =
      kind === 'byCode' ? [definition.of, definition.values] : [definition.by, definition.divisors]
    const codes = codesOf(scale, of) ?? []
    if (!isFor(codes, numbers)) here.add('', 'codes-complete', `has a number for exactly ${codes.join(', ')}`)
  }
}

/** There are two or more ways to record a scale, each with its own items, values and total. */
export function checkCodings(scale: ScaleDefinition, faults: FaultList): void {
  const { codings } = scale
  if (codings === undefined) return
  const forms = Object.entries(codings.forms)
  const add = (path: string, message: string): void => faults.add(path, 'codings', message)
  if (forms.length < 2) add('/codings/forms', 'a scale has codings only where there are two or more')
  if (!forms.some(([, { shift }]) => (shift ?? 0) === 0))
    add('/codings/forms', 'one form writes the values as `items` lists them, without a shift')
  if (codings.default !== null && !Object.hasOwn(codings.forms, codings.default))
    add('/codings/default', 'the default is null, or one of the forms')
  for (const [name, form] of forms) {
    if (name.trim() !== name || name === '')
      add('/codings/forms', 'a coding has a name without a space at its ends')
    checkForm(scale, form, faults.at(`/codings/forms/${name}`))
  }
  for (const item of Object.keys(scale.items)) {
    if (forms.every(([, { items }]) => items !== undefined && !items.includes(item)))
      add(`/items/${item}`, 'no coding has this item')
  }
}

function checkForm(scale: ScaleDefinition, form: CodingDefinition, faults: FaultList): void {
  const { items, narrowed = {}, shift = 0, total = scale.total } = form
  for (const item of items ?? []) {
    if (!Object.hasOwn(scale.items, item)) faults.add('/items', 'unknown-item', `there is no item ${item}`)
  }
  for (const [item, values] of Object.entries(narrowed)) {
    const path = `/narrowed/${item}`
    const all = Object.hasOwn(scale.items, item) ? (scale.items[item]?.values ?? []) : []
    checkAscending(values, faults.at(path))
    if (!values.every((value) => all.includes(value)))
      faults.add(path, 'narrowed', 'narrows an item to values that it does not have')
  }
  const { derived = {}, subtotals = {} } = scale
  // Figures are the same in every form, so a form cannot leave out an item that one of them needs.
  const ofSubtotals = Object.values(subtotals).flatMap((subtotal) => subtotal.items)
  for (const part of new Set([...ofSubtotals, ...Object.values(derived).flatMap(partsOf)])) {
    if (items !== undefined && Object.hasOwn(scale.items, part) && !items.includes(part))
      faults.add('/items', 'codings', `a subtotal or derived figure needs the item ${part}`)
  }
  if (!Number.isSafeInteger(shift * UNITS))
    faults.add('/shift', 'shift', 'a shift has at most three decimals')
  const isShiftable = Object.values(derived).every(
    (each) =>
      (each.kind === 'mean' || each.kind === 'countAtLeast') &&
      each.of.every((part) => Object.hasOwn(scale.items, part)),
  )
  if (shift !== 0 && !(isShiftable && total === 'sum' && scale.subtotals === undefined)) {
    const message = 'a shifted coding needs a plain sum, no subtotals, and means or counts of items only'
    faults.add('/shift', 'shift', message)
  }
}

const MOST = 100_000

/** Checks a list of permitted values. Sums are computed in thousandths, so a finer value would be lost silently. */
export function checkAscending(values: readonly number[], faults: FaultList): void {
  values.forEach((value, index) => {
    const last = values[index - 1]
    if (last !== undefined && value <= last)
      faults.add(`/${index}`, 'values-ascending', 'permitted values are distinct and in ascending order')
    if (Math.abs(value) > MOST || Math.abs(value * UNITS - Math.round(value * UNITS)) > 1e-6)
      faults.add(`/${index}`, 'values-exact', 'a value has at most three decimals and lies within 100,000')
  })
}
