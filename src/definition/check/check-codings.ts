/** Checks the codings of a scale: two or more ways to record it, each with its own items, values and total. */
import type { FaultList } from '../fault.ts'
import { partsOf } from '../forms.ts'
import type { CodingDefinition, ScaleDefinition } from '../scale.ts'

/** Sums are computed in thousandths, so a finer value would be lost silently. */
export const UNITS = 1_000
const MOST = 100_000

export function checkCodings(scale: ScaleDefinition, faults: FaultList): void {
  const { codings } = scale
  if (codings === undefined) return
  const forms = Object.entries(codings.forms)
  if (forms.length < 2) {
    faults.add('/codings/forms', 'codings', 'a scale has codings only where there are two or more')
  }
  if (!forms.some(([, { shift }]) => (shift ?? 0) === 0)) {
    faults.add(
      '/codings/forms',
      'codings',
      'one form writes the values as `items` lists them, without a shift',
    )
  }
  if (codings.default !== null && !Object.hasOwn(codings.forms, codings.default)) {
    faults.add('/codings/default', 'codings', 'the default is null, or one of the forms')
  }
  for (const [name, form] of forms) {
    if (name.trim() !== name || name === '')
      faults.add('/codings/forms', 'codings', 'a coding has a name without a space at its ends')
    checkForm(`/codings/forms/${name}`, scale, form, faults)
  }
  for (const item of Object.keys(scale.items)) {
    if (forms.every(([, { items }]) => items !== undefined && !items.includes(item)))
      faults.add(`/items/${item}`, 'codings', 'no coding has this item')
  }
}

function checkForm(path: string, scale: ScaleDefinition, form: CodingDefinition, faults: FaultList): void {
  for (const item of form.items ?? []) {
    if (!Object.hasOwn(scale.items, item))
      faults.add(`${path}/items`, 'unknown-item', `there is no item ${item}`)
  }
  for (const [item, values] of Object.entries(form.narrowed ?? {})) {
    const all = Object.hasOwn(scale.items, item) ? (scale.items[item]?.values ?? []) : []
    checkAscending(`${path}/narrowed/${item}`, values, faults)
    if (!values.every((value) => all.includes(value))) {
      faults.add(`${path}/narrowed/${item}`, 'narrowed', 'narrows an item to values that it does not have')
    }
  }
  checkMissingItems(path, scale, form, faults)
  if (!Number.isSafeInteger((form.shift ?? 0) * 1_000)) {
    faults.add(`${path}/shift`, 'shift', 'a shift has at most three decimals')
  }
  const isShiftable = Object.values(scale.derived ?? {}).every(
    ({ kind, of }) =>
      (kind === 'mean' || kind === 'countAtLeast') && of.every((part) => Object.hasOwn(scale.items, part)),
  )
  const isSum = (form.total ?? scale.total) === 'sum'
  if ((form.shift ?? 0) !== 0 && !(isShiftable && isSum && scale.subtotals === undefined)) {
    faults.add(
      `${path}/shift`,
      'shift',
      'a shifted coding needs a plain sum, no subtotals, and means or counts of items only',
    )
  }
}

/** Figures are the same in every form, so a form cannot leave out an item that one of them needs. */
function checkMissingItems(
  path: string,
  scale: ScaleDefinition,
  { items }: CodingDefinition,
  faults: FaultList,
): void {
  if (items === undefined) return
  const needed = [
    ...Object.values(scale.subtotals ?? {}).flatMap((subtotal) => subtotal.items),
    ...Object.values(scale.derived ?? {}).flatMap(partsOf),
  ]
  for (const part of new Set(needed)) {
    if (Object.hasOwn(scale.items, part) && !items.includes(part))
      faults.add(`${path}/items`, 'codings', `a subtotal or derived figure needs the item ${part}`)
  }
}

/** Checks a list of permitted values. */
export function checkAscending(path: string, values: readonly number[], faults: FaultList): void {
  values.forEach((value, index) => {
    const last = values[index - 1]
    if (last !== undefined && value <= last) {
      faults.add(
        `${path}/${index}`,
        'values-ascending',
        'permitted values are distinct and in ascending order',
      )
    }
    if (Math.abs(value) > MOST || Math.abs(value * UNITS - Math.round(value * UNITS)) > 1e-6) {
      faults.add(
        `${path}/${index}`,
        'values-exact',
        'a value has at most three decimals and lies within 100,000',
      )
    }
  })
}
