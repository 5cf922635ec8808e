/** The check of the codes that a deployment or a key states: which fields take them, what they stand for, and what is doubtful. */
import { type Codes, type FieldCodes, codedValues } from 'patient-risk-engine'
import { type Domains, type FaultList, nearNames } from 'patient-risk-engine/definition'

/** Codes of a field that are checked and kept, and characters of a code. */
export const MOST_CODES = 100
export const LONGEST_CODE = 64

/** Lists what is wrong. Returns what is doubtful, in sentences: the mapping is used as it is. */
export function checkCodes(domains: Domains, codes: Codes, faults: FaultList): readonly string[] {
  return Object.entries(codes).flatMap(([field, mapping]) => {
    const domain = domains.get(field)
    const values = domain && codedValues(domain)
    if (values === undefined) {
      faults.add(`/${field}`, 'codes', noCodesText(domains, field))
      return []
    }
    return checkField(field, mapping, [...values.keys()], faults.at(`/${field}`))
  })
}

function checkField(
  field: string,
  mapping: FieldCodes,
  permitted: readonly (string | boolean)[],
  faults: FaultList,
): readonly string[] {
  const entries = Object.entries(mapping)
  if (entries.length > MOST_CODES) faults.add('', 'codes', `has more than ${MOST_CODES} codes`)
  const names = permitted.map((value) => JSON.stringify(value)).join(', ')
  for (const [code, meaning] of entries) {
    if (code.length === 0 || code.length > LONGEST_CODE)
      faults.add('', 'codes', `a code has 1 to ${LONGEST_CODE} characters`)
    if (meaning !== null && !permitted.includes(meaning))
      faults.add(
        `/${code}`,
        'codes',
        `stands for a value that ${field} does not have; it has ${names}, or null`,
      )
  }
  // A key may take the codes of its deployment away with an empty mapping.
  if (entries.length === 0) return []
  return permitted.flatMap((value) => {
    const alike = entries.filter(([, meaning]) => meaning === value).map(([code]) => JSON.stringify(code))
    const shown = JSON.stringify(value)
    if (alike.length > 1) return [`${field}: the codes ${alike.join(' and ')} both stand for ${shown}`]
    if (alike.length === 1) return []
    const isTaken = typeof value === 'string' && Object.hasOwn(mapping, value)
    const then = isTaken ? 'so it cannot be sent' : 'so it is taken as it is written'
    return [`${field}: no code stands for ${shown}, ${then}`]
  })
}

function noCodesText(domains: Domains, field: string): string {
  const fields = [...domains].filter(([, domain]) => codedValues(domain) !== undefined).map(([name]) => name)
  const [near] = nearNames(field, fields)
  if (domains.has(field)) return 'takes no codes: only fields with a list of codes and yes/no fields do'
  return near === undefined ? 'is not a field' : `is not a field; did you mean "${near}"?`
}
