/** Elements of FHIR that may occur several times. */

/** A list as it is, and a single element as a list of one: converters from XML write it so. */
export function allOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? (value as readonly unknown[]) : [value]
}
