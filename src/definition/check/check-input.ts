/** Checks that a model uses a field as the field allows: a narrower population, and a stated meaning of absence. */
import { type Domain, narrow } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { InputDefinition } from '../model.ts'

export function checkInput(path: string, domain: Domain, input: InputDefinition, faults: FaultList): void {
  checkNarrowing(path, domain, input, faults)
  const narrowed = narrow(domain, input)
  if (isEmpty(narrowed)) faults.add(path, 'narrowing', 'leaves no value that the input could have')
  checkAbsence(path, narrowed, input, faults)
}

function checkNarrowing(path: string, domain: Domain, input: InputDefinition, faults: FaultList): void {
  const isNumeric = domain.kind === 'integer' || domain.kind === 'decimal' || domain.kind === 'list'
  if (!isNumeric && (input.from !== undefined || input.to !== undefined)) {
    faults.add(path, 'narrowing', '`from` and `to` narrow numbers only')
  }
  if (domain.kind !== 'code' && input.values !== undefined)
    faults.add(path, 'narrowing', '`values` narrows codes only')
  if (domain.kind === 'code') {
    for (const code of input.values ?? []) {
      if (!domain.codes.has(code)) faults.add(`${path}/values`, 'narrowing', `the field has no code ${code}`)
    }
  }
  if (isNumeric) {
    const [low, high] =
      domain.kind === 'list' ? [domain.values[0], domain.values.at(-1)] : [domain.from, domain.to]
    if (input.from !== undefined && input.from < (low ?? 0)) {
      faults.add(`${path}/from`, 'narrowing', `the field itself starts at ${low}`)
    }
    if (input.to !== undefined && input.to > (high ?? 0)) {
      faults.add(`${path}/to`, 'narrowing', `the field itself ends at ${high}`)
    }
    if (domain.kind === 'integer' && !(isWhole(input.from) && isWhole(input.to)))
      faults.add(path, 'narrowing', 'a field of whole numbers is narrowed by whole numbers')
  }
}

/** Absence may mean something only when the file says what, and why. */
function checkAbsence(path: string, domain: Domain, input: InputDefinition, faults: FaultList): void {
  if (input.whenAbsent === undefined) {
    if (input.why !== undefined)
      faults.add(`${path}/why`, 'absence', '`why` explains `whenAbsent`, which is not given')
    return
  }
  if (input.why === undefined) faults.add(path, 'absence', 'says what absence means, but not why')
  if (!holds(domain, input.whenAbsent)) {
    faults.add(`${path}/whenAbsent`, 'absence', 'is not a value that the input may have')
  }
}

function holds(domain: Domain, value: number | boolean | string): boolean {
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
      if (domain.kind === 'integer' && !Number.isInteger(value)) return false
      return typeof value === 'number' && value >= domain.from && value <= domain.to
    case 'list':
      return typeof value === 'number' && domain.values.includes(value)
    case 'code':
      return typeof value === 'string' && domain.codes.has(value)
    case 'yesNo':
      return typeof value === 'boolean'
    case 'date':
      return false
  }
}

function isWhole(limit: number | undefined): boolean {
  return limit === undefined || Number.isInteger(limit)
}

function isEmpty(domain: Domain): boolean {
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
      return domain.from > domain.to
    case 'list':
      return domain.values.length === 0
    case 'code':
      return domain.codes.size === 0
    case 'yesNo':
    case 'date':
      return false
  }
}
