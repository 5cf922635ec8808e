/** Checks a scale's definition: names, values, codings, computed figures and bands. */
import { bandHolds } from '../cover.ts'
import { UNITS, isOnStep } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import { RESERVED } from '../scale-domains.ts'
import type { ScaleDefinition } from '../scale.ts'
import { checkBands } from './check-bands.ts'
import { nameFault } from './check-fields.ts'
import { checkAscending, checkCodings, checkFigures } from './check-figures.ts'

/** Reachable totals are listed one by one; more than this cannot be proof-read. */
const MOST_TOTALS = 100_000

export function checkScale(scale: ScaleDefinition, faults: FaultList): void {
  checkNames(scale, faults)
  checkItems(scale, faults)
  checkCodings(scale, faults)
  checkFigures(scale, faults)
  if (!scale.verified && scale.unverified === undefined)
    faults.add('/unverified', 'verified', 'a file that is not verified lists what is not confirmed')
  if (scale.verified && scale.unverified !== undefined)
    faults.add('/verified', 'verified', 'is true, yet `unverified` lists what is not confirmed')
  checkRedFlags(scale, faults.at('/redFlags'))
  // Bands are compared with reachable totals, which only a valid definition has.
  if (faults.faults.length === 0) checkBands(scale, faults.at('/bands'))
}

/** A red flag is raised by some of the values of its items, and not by all. */
function checkRedFlags({ items, redFlags = [] }: ScaleDefinition, faults: FaultList): void {
  redFlags.forEach((flag, index) => {
    const here = faults.at(`/${index}`)
    if (flag.from === undefined && flag.to === undefined) {
      here.add('', 'red-flag', 'states the values that ask for action: `from`, `to`, or both')
      return
    }
    for (const name of flag.items) {
      const values = Object.hasOwn(items, name) ? items[name]?.values : undefined
      if (values === undefined) {
        here.add('/items', 'unknown-item', `there is no item ${name}`)
        continue
      }
      const raising = values.filter((value) => bandHolds(flag, value)).length
      if (raising === 0 || raising === values.length)
        here.add(
          '/items',
          'red-flag',
          `${name} raises it with some of its values, not with ${raising === 0 ? 'none' : 'all'}`,
        )
    }
  })
}

/** Every part of a scale becomes a field, so no two may share a name, nor differ in case alone. */
function checkNames(scale: ScaleDefinition, faults: FaultList): void {
  const wrongId = nameFault(scale.id)
  if (wrongId !== undefined) faults.add('/id', 'name', wrongId)
  const taken = new Map<string, string>(RESERVED.map((name) => [name, 'every scale']))
  for (const group of ['items', 'measures', 'context', 'subtotals', 'derived'] as const) {
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

/** Values in order, and totals that can be listed. */
function checkItems(scale: ScaleDefinition, faults: FaultList): void {
  const before = faults.faults.length
  for (const [name, item] of Object.entries(scale.items)) {
    const here = faults.at(`/items/${name}`)
    checkAscending(item.values, here.at('/values'))
    for (const meaning of Object.keys(item.meanings ?? {})) {
      if (!item.values.map(String).includes(meaning))
        here.add(`/meanings/${meaning}`, 'meanings', 'explains a value that is not permitted')
    }
  }
  for (const [name, { from, to, step }] of Object.entries(scale.measures ?? {})) {
    const path = `/measures/${name}`
    if (from >= to) faults.add(path, 'range', '`from` must lie below `to`')
    const isExact = [from, to, step].every((value) => Math.round(value * UNITS) / UNITS === value)
    if (!isExact || !isOnStep(from, step) || !isOnStep(to, step))
      faults.add(path, 'step', '`from` and `to` are multiples of `step`, with at most three decimals')
  }
  for (const [name, { values }] of Object.entries(scale.context ?? {})) {
    const path = `/context/${name}/values`
    if (Array.isArray(values)) checkAscending(values, faults.at(path))
    else if (Object.keys(values).length === 0) faults.add(path, 'codes', 'needs at least one permitted code')
  }
  if (faults.faults.length === before) checkCount(scale, faults)
}

/** The sums of all items are multiples of the common step of their values, which bounds their number. */
function checkCount(scale: ScaleDefinition, faults: FaultList): void {
  let span = 0
  let step = 0
  for (const { values } of Object.values(scale.items)) {
    const units = values.map((value) => Math.round(value * UNITS))
    span += (units[units.length - 1] ?? 0) - (units[0] ?? 0)
    for (const unit of units) step = commonDivisor(step, unit - (units[0] ?? 0))
  }
  if (step > 0 && span / step > MOST_TOTALS)
    faults.add('/items', 'totals', `the items can add up to more than ${MOST_TOTALS} different totals`)
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
