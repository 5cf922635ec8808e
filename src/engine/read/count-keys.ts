/** Counts keys, to be compared with what the bytes hold. The depth of the body has been bounded before. */

/** Keys inside an element that is no record: an array that holds objects. */
export function countOutside(element: unknown): number {
  return Array.isArray(element) ? countKeys(element) : 0
}

/** All keys of a value, those of nested objects too. */
export function countKeys(value: object): number {
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value as readonly unknown[]) {
      if (typeof element === 'object' && element !== null) count += countKeys(element)
    }
    return count
  }
  for (const key in value) {
    count++
    const nested = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof nested === 'object' && nested !== null) count += countKeys(nested)
  }
  return count
}
