/** Elements of a Bundle that are not spelled as FHIR spells them, so that a reader would not see them. */

const ELEMENTS = ['entry', 'entries', 'link', 'links', 'total', 'type']

/** Whether a key of a Bundle is such an element in another case, with spaces, or in the plural. */
export function isMiswrittenElement(key: string): boolean {
  const plain = key.trim().toLowerCase()
  return plain !== key ? ELEMENTS.includes(plain) : ['entries', 'links'].includes(key)
}
