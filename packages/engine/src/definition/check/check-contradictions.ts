/** Checks the contradictions: every field, value and interval that they name can occur. */
import type { ConditionDefinition, ContradictionsDefinition, IntervalDefinition } from '../contradictions.ts'
import { fieldsOfCondition } from '../condition-fields.ts'
import { type Domain, type Domains, holds, numberIn, rangeOf } from '../domain.ts'
import type { FaultList } from '../fault.ts'

export function checkContradictions(
  { quantities = {}, rules = [] }: ContradictionsDefinition,
  domains: Domains,
  faults: FaultList,
): void {
  for (const [name, { fields }] of Object.entries(quantities)) {
    const list = faults.at(`/quantities/${name}/fields`)
    if (Object.keys(fields).length < 2) list.add('', 'alone', 'one field cannot contradict itself')
    for (const [field, meanings] of Object.entries(fields)) {
      const domain = domainOf(field, domains, list.at(`/${field}`))
      if (domain === undefined) continue
      if (meanings === 'value' && rangeOf(domain) === undefined)
        list.add(`/${field}`, 'value', 'only a number is a quantity itself')
      for (const [value, interval] of Object.entries(meanings === 'value' ? {} : meanings)) {
        const path = `/${field}/${value}`
        if (numberIn(domain, value) === undefined) list.add(path, 'values', 'the field has no such value')
        if (isEmpty(interval)) list.add(path, 'range', 'no number lies in it')
      }
    }
  }
  rules.forEach(({ id, all }, index) => {
    const path = `/rules/${index}`
    if (rules.findIndex((other) => other.id === id) !== index)
      faults.add(`${path}/id`, 'id-taken', `there is another rule ${id}`)
    all.forEach((condition, at) => {
      checkCondition(condition, domains, faults.at(`${path}/all/${at}`))
    })
  })
}

function checkCondition(condition: ConditionDefinition, domains: Domains, faults: FaultList): void {
  for (const field of fieldsOfCondition(condition)) {
    const domain = domainOf(field, domains, faults)
    if (domain === undefined) continue
    if (condition.kind === 'aboveField' && rangeOf(domain) === undefined)
      faults.add('', 'values', `${field} is not a number`)
    if (condition.kind === 'values' && !condition.values.every((value) => holds(domain, value)))
      faults.add('/values', 'values', `${field} does not have all of these values`)
  }
}

function domainOf(field: string, domains: Domains, faults: FaultList): Domain | undefined {
  const domain = domains.get(field)
  if (domain === undefined) faults.add('', 'unknown-field', `there is no field ${field}`)
  return domain
}

function isEmpty({ is, from, to, above, below }: IntervalDefinition): boolean {
  const low = from ?? above
  const high = to ?? below
  if (is !== undefined) return (low ?? high) !== undefined
  if (low === undefined || high === undefined) return low === high
  return from !== undefined && to !== undefined ? low > high : low >= high
}
