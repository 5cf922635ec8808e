/** Checks a scale's definition: names, values, codings, computed figures and bands. */
import { checkBands } from './check-bands.ts'
import { checkCodings } from './check-codings.ts'
import { checkFigures } from './check-figures.ts'
import { checkItems } from './check-items.ts'
import { type Choice, hasShape } from './check-shape.ts'
import type { FaultList } from '../fault.ts'
import { nameFault } from '../name.ts'
import { RESERVED } from '../scale-domains.ts'
import { DERIVED_SCHEMAS, type ScaleDefinition, ScaleFile, TOTAL_SCHEMAS } from '../scale.ts'

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
  if (scale.verified && scale.unverified !== undefined) {
    faults.add('/verified', 'verified', 'is true, yet `unverified` lists what is not confirmed')
  }
  // Bands are compared with reachable totals, which only a valid definition has.
  if (faults.faults.length === 0) checkBands(scale, faults)
  return faults.faults.length === 0 ? scale : undefined
}

function choicesOf(value: unknown): readonly Choice[] {
  const scale = (value ?? {}) as {
    total?: unknown
    derived?: unknown
    computed?: unknown
    codings?: unknown
  }
  const choices: Choice[] = []
  const addTotal = (path: string, total: unknown): void => {
    if (total !== 'sum') choices.push({ path, value: total, by: 'kind', shapes: TOTAL_SCHEMAS })
  }
  addTotal('/total', scale.total)
  for (const [name, form] of entriesOf((scale.codings as { forms?: unknown } | null)?.forms)) {
    const total = (form as { total?: unknown } | null)?.total
    if (total !== undefined) addTotal(`/codings/forms/${name}/total`, total)
  }
  for (const group of ['derived', 'computed'] as const) {
    for (const [name, derived] of entriesOf(scale[group]))
      choices.push({ path: `/${group}/${name}`, value: derived, by: 'kind', shapes: DERIVED_SCHEMAS })
  }
  return choices
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** Every part of a scale becomes a field, so no two may share a name, nor differ in case alone. */
function checkNames(scale: ScaleDefinition, faults: FaultList): void {
  const wrongId = nameFault(scale.id)
  if (wrongId !== undefined) faults.add('/id', 'name', wrongId)
  const taken = new Map<string, string>(RESERVED.map((name) => [name, 'every scale']))
  const groups = ['items', 'measures', 'context', 'subtotals', 'derived'] as const
  for (const group of groups) {
    for (const name of Object.keys(scale[group] ?? {})) {
      const path = `/${group}/${name}`
      const wrong = nameFault(name)
      if (wrong !== undefined) faults.add(path, 'name', wrong)
      const owner = taken.get(name.toLowerCase())
      if (owner !== undefined) faults.add(path, 'name-taken', `the name ${name} is taken by ${owner}`)
      taken.set(name.toLowerCase(), group)
    }
  }
  if (Object.keys({ ...scale.items, ...scale.measures }).length === 0)
    faults.add('/items', 'items', 'a scale has at least one item or measure')
  if (scale.measures !== undefined && scale.codings !== undefined)
    faults.add('/measures', 'measures', 'a scale with codings has no measures')
}
