/** What is not spelled as FHIR spells it, so that a reader would not see it: elements of a Bundle, and types of resources. */
import { CONNECTING, USED } from './types.ts'

const ELEMENTS = ['entry', 'entries', 'link', 'links', 'total', 'type']

/** Whether a key of a Bundle is such an element in another case, with spaces, or in the plural. */
export function isMiswrittenElement(key: string): boolean {
  const plain = key.trim().toLowerCase()
  return plain !== key ? ELEMENTS.includes(plain) : ['entries', 'links'].includes(key)
}

/** Whether a type is one that is read, in another case or with spaces. */
export function isMiswrittenType(type: string): boolean {
  const plain = type.trim().toLowerCase()
  return [...USED, ...CONNECTING].some((each) => each !== type && each.toLowerCase() === plain)
}
