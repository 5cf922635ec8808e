/** Proves a scale's definition sound: names, values, codings, computed figures and bands. */
import { checkBands } from './check-bands.ts'
import { checkFigures } from './check-figures.ts'
import { type Choice, hasShape } from './check-shape.ts'
import type { FaultList } from './fault.ts'
import { RESERVED } from './scale-domains.ts'
import { DERIVED_SCHEMAS, type ScaleDefinition, ScaleFile, TOTAL_SCHEMAS } from './scale.ts'

const NAME = /^[a-z][A-Za-z0-9]*$/

export function checkScale(value: unknown, faults: FaultList): ScaleDefinition | undefined {
  if (!hasShape(ScaleFile, value, faults, choicesOf(value))) return undefined
  const scale = value as ScaleDefinition
  checkNames(scale, faults)
  checkItems(scale, faults)
  checkCodings(scale, faults)
  checkFigures(scale, faults)
  if (!scale.verified && scale.unverified === undefined) {
    faults.add('/unverified', 'verified', 'a file that is not verified lists what is not confirmed')
  }
  // Bands are held against reachable totals, which only a sound definition has.
  if (faults.faults.length === 0) checkBands(scale, faults)
  return faults.faults.length === 0 ? scale : undefined
}

function choicesOf(value: unknown): readonly Choice[] {
  const scale = (value ?? {}) as { total?: unknown; derived?: unknown }
  const choices: Choice[] = []
  if (scale.total !== 'sum')
    choices.push({ path: '/total', value: scale.total, by: 'kind', shapes: TOTAL_SCHEMAS })
  if (typeof scale.derived === 'object' && scale.derived !== null) {
    for (const [name, derived] of Object.entries(scale.derived)) {
      choices.push({
        path: `/derived/${name}`,
        value: derived as unknown,
        by: 'kind',
        shapes: DERIVED_SCHEMAS,
      })
    }
  }
  return choices
}

/** Every part of a scale becomes a field, so no two may share a name. */
function checkNames(scale: ScaleDefinition, faults: FaultList): void {
  const taken = new Map<string, string>(RESERVED.map((name) => [name, 'every scale']))
  const groups = ['items', 'context', 'subtotals', 'derived'] as const
  for (const group of groups) {
    for (const name of Object.keys(scale[group] ?? {})) {
      const path = `/${group}/${name}`
      if (!NAME.test(name)) {
        faults.add(path, 'name', 'a name starts with a lower-case letter and has letters and digits only')
      }
      const owner = taken.get(name)
      if (owner !== undefined) faults.add(path, 'name-taken', `the name ${name} is taken by ${owner}`)
      taken.set(name, group)
    }
  }
  if (Object.keys(scale.items).length === 0) faults.add('/items', 'items', 'a scale has at least one item')
}

function checkItems(scale: ScaleDefinition, faults: FaultList): void {
  for (const [name, item] of Object.entries(scale.items)) {
    checkAscending(`/items/${name}/values`, item.values, faults)
    for (const meaning of Object.keys(item.meanings ?? {})) {
      if (!item.values.includes(Number(meaning))) {
        faults.add(`/items/${name}/meanings/${meaning}`, 'meanings', 'explains a value that is not permitted')
      }
    }
  }
  for (const [name, context] of Object.entries(scale.context ?? {})) {
    if (Array.isArray(context.values)) checkAscending(`/context/${name}/values`, context.values, faults)
  }
}

function checkAscending(path: string, values: readonly number[], faults: FaultList): void {
  for (let i = 1; i < values.length; i++) {
    if ((values[i] as number) <= (values[i - 1] as number)) {
      faults.add(`${path}/${i}`, 'values-ascending', 'permitted values are distinct and in ascending order')
    }
  }
}

function checkCodings(scale: ScaleDefinition, faults: FaultList): void {
  const { codings } = scale
  if (codings === undefined) return
  if (Object.keys(codings.forms).length < 2) {
    faults.add('/codings/forms', 'codings', 'a scale has codings only where there are two or more')
  }
  if (codings.default !== null && !Object.hasOwn(codings.forms, codings.default)) {
    faults.add('/codings/default', 'codings', 'the default is null, or one of the forms')
  }
  for (const [name, form] of Object.entries(codings.forms)) {
    const path = `/codings/forms/${name}`
    for (const item of form.items ?? []) {
      if (!Object.hasOwn(scale.items, item))
        faults.add(`${path}/items`, 'unknown-item', `there is no item ${item}`)
    }
    for (const [item, values] of Object.entries(form.narrowed ?? {})) {
      const all = scale.items[item]?.values ?? []
      checkAscending(`${path}/narrowed/${item}`, values, faults)
      if (!values.every((value) => all.includes(value))) {
        faults.add(`${path}/narrowed/${item}`, 'narrowed', 'narrows an item to values that it does not have')
      }
    }
    const shiftable = Object.values(scale.derived ?? {}).every(
      ({ kind }) => kind === 'mean' || kind === 'countAtLeast',
    )
    const isSum = (form.total ?? scale.total) === 'sum'
    if ((form.shift ?? 0) !== 0 && !(shiftable && isSum && scale.subtotals === undefined)) {
      faults.add(
        `${path}/shift`,
        'shift',
        'a shifted coding needs a plain sum, no subtotals, and means or counts only',
      )
    }
  }
}
