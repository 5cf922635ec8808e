/** Checks the codings of a scale: two or more ways to record it, each with its own items, values and total. */
import { UNITS } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import { partsOf } from '../forms.ts'
import type { CodingDefinition, ScaleDefinition } from '../scale.ts'

const MOST = 100_000

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
    ({ kind, of }) =>
      (kind === 'mean' || kind === 'countAtLeast') && of.every((part) => Object.hasOwn(scale.items, part)),
  )
  if (shift !== 0 && !(isShiftable && total === 'sum' && scale.subtotals === undefined)) {
    const message = 'a shifted coding needs a plain sum, no subtotals, and means or counts of items only'
    faults.add('/shift', 'shift', message)
  }
}

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
