/**
 * Finds the keys that a record writes twice. A parser keeps only the last of them, so the keys of the parsed value are
 * counted and compared with the bytes; the names are looked for only when a key is missing.
 */

const RECORD_DEPTH = 2
/** A string, with the colon after it where it is a key, or a sign of the structure. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]/g
const IDX_VALUE = /\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

/** What a record writes twice: the names, and the numbers that it gives for its idx where that is one of them. */
export interface RepeatedKeys {
  readonly names: ReadonlySet<string>
  readonly idxs: readonly number[]
}

export const NO_KEYS: RepeatedKeys = { names: new Set(), idxs: [] }

/** The records that repeat a key, by position. The text is known to be well-formed JSON. */
export function findRepeatedKeys(text: string): ReadonlyMap<number, RepeatedKeys> {
  const found = new Map<number, RepeatedKeys>()
  let depth = 0
  let position = 0
  let seen = new Set<string>()
  let names = new Set<string>()
  let idxs: number[] = []
  for (const { 0: token, 1: colon, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      if (++depth !== RECORD_DEPTH) continue
      seen = new Set()
      names = new Set()
      idxs = []
    } else if (token === '}' || token === ']') {
      if (depth-- === RECORD_DEPTH && names.size > 0)
        found.set(position, { names, idxs: names.has('idx') ? idxs : [] })
    } else if (token === ',') {
      if (depth === 1) position++
    } else if (depth === RECORD_DEPTH && colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string
      if (name === 'idx') idxs.push(...idxAfter(text, index + token.length))
      if (seen.has(name)) names.add(name)
      seen.add(name)
    }
  }
  return found
}

function idxAfter(text: string, place: number): readonly number[] {
  IDX_VALUE.lastIndex = place
  const idx = Number(IDX_VALUE.exec(text)?.[1] ?? Number.NaN)
  return Number.isSafeInteger(idx) ? [idx + 0] : []
}

/** All keys of a value, those of nested objects too. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const element of value as readonly unknown[]) count += countKeys(element)
  else
    for (const key in value) {
      count++
      const inner = (value as Readonly<Record<string, unknown>>)[key]
      if (typeof inner === 'object') count += countKeys(inner)
    }
  return count
}
