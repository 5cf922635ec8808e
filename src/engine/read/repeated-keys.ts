/**
 * Finds the keys that a record writes twice. A parser keeps only the last of them, so the keys of the parsed value are
 * counted and compared with the bytes; the names are looked for only when a key is missing.
 */

const RECORD_DEPTH = 2
const IDX_VALUE = /\s*:\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

/** What a record writes twice: the names, and the numbers that it gives for its idx where that is one of them. */
export interface RepeatedKeys {
  readonly names: ReadonlySet<string>
  readonly idxs: readonly number[]
}

/** The records that repeat a key, by position. The text is known to be well-formed JSON. */
export function findRepeatedKeys(text: string): ReadonlyMap<number, RepeatedKeys> {
  const found = new Map<number, RepeatedKeys>()
  let depth = 0
  let position = -1
  let seen = new Set<string>()
  let repeated = new Set<string>()
  let idxs: number[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      const end = endOfString(text, at)
      if (depth === RECORD_DEPTH && isKey(text, end)) {
        const name = JSON.parse(text.slice(at, end + 1)) as string
        if (name === 'idx') idxs.push(...idxAfter(text, end + 1))
        if (seen.has(name)) repeated.add(name)
        seen.add(name)
      }
      at = end
    } else if (char === '{' || char === '[') {
      depth++
      if (depth === RECORD_DEPTH) {
        position++
        seen = new Set()
        repeated = new Set()
        idxs = []
      }
    } else if (char === '}' || char === ']') {
      if (depth === RECORD_DEPTH && repeated.size > 0) {
        found.set(position, { names: repeated, idxs: repeated.has('idx') ? idxs : [] })
      }
      depth--
    } else if (depth === 1 && endsScalar(text, at)) position++
  }
  return found
}

function idxAfter(text: string, place: number): readonly number[] {
  IDX_VALUE.lastIndex = place
  const idx = Number(IDX_VALUE.exec(text)?.[1] ?? Number.NaN)
  return Number.isSafeInteger(idx) ? [idx + 0] : []
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function isKey(text: string, endOfName: number): boolean {
  let at = endOfName + 1
  while (/\s/.test(text[at] ?? '')) at++
  return text[at] === ':'
}

/** An element of the outer array that is not a record takes a position too. It is counted at its comma. */
function endsScalar(text: string, at: number): boolean {
  if (text[at] !== ',') return false
  let before = at - 1
  while (/\s/.test(text[before] ?? '')) before--
  return !'}]'.includes(text[before] ?? '')
}

/** Keys inside an element that is not a record: an array that holds objects. */
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
