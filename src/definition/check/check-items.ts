/** Checks the items and the context of a scale: values in order, and totals that can be listed. */
import { isOnStep } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { ScaleDefinition } from '../scale.ts'

/** Sums are computed in thousandths, so a finer value would be lost silently. */
const UNITS = 1_000
const MOST = 100_000
/** The reachable totals are listed one by one; nobody could proof-read more than this. */
const MOST_TOTALS = 100_000

export function checkItems(scale: ScaleDefinition, faults: FaultList): void {
  const before = faults.faults.length
  for (const [name, item] of Object.entries(scale.items)) {
    const path = `/items/${name}`
    checkAscending(`${path}/values`, item.values, faults)
    for (const meaning of Object.keys(item.meanings ?? {})) {
      if (!item.values.map(String).includes(meaning)) {
        faults.add(`${path}/meanings/${meaning}`, 'meanings', 'explains a value that is not permitted')
      }
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
    if (Array.isArray(values)) checkAscending(path, values, faults)
    else if (Object.keys(values).length === 0) faults.add(path, 'codes', 'needs at least one permitted code')
  }
  if (faults.faults.length === before) checkCount(scale, faults)
}

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

/** The sums of all items lie on the common step of their values, which bounds how many there can be. */
function checkCount(scale: ScaleDefinition, faults: FaultList): void {
  let span = 0
  let step = 0
  for (const { values } of Object.values(scale.items)) {
    const units = values.map((value) => Math.round(value * UNITS))
    span += (units[units.length - 1] ?? 0) - (units[0] ?? 0)
    for (const unit of units) step = commonDivisor(step, unit - (units[0] ?? 0))
  }
  if (step > 0 && span / step > MOST_TOTALS) {
    faults.add('/items', 'totals', `the items can add up to more than ${MOST_TOTALS} different totals`)
  }
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
