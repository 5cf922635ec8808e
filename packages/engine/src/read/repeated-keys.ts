/**
 * What a request repeats: the idx of several records, and the keys that a record writes twice. A parser keeps only the last of
 * those, so the keys of the parsed value are counted and compared with the bytes; the names are looked for only when a key is
 * missing.
 */
import { type Parsed, checkDepth } from './body.ts'
import { parseJson } from './parse-json.ts'

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

/** A key: whether its object has written it before, the place of its record in the list, and where its text lies. */
type WrittenKey = Readonly<{
  name: string
  isRepeated: boolean
  position: number
  start: number
  end: number
}>

/** Every key of a text, or those at one depth only. The text is known to be well-formed JSON. */
export function* keysIn(text: string, depth?: number): Generator<WrittenKey> {
  const open: (Set<string> | undefined)[] = []
  let position = 0
  for (const { 0: token, 1: colon, index: start } of text.matchAll(TOKEN)) {
    const names = open.at(-1)
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',') position += open.length === 1 ? 1 : 0
    else if (names !== undefined && colon !== undefined && open.length === (depth ?? open.length)) {
      const name = parseJson(token.slice(0, -colon.length)) as string
      yield { name, isRepeated: names.has(name), position, start, end: start + token.length }
      names.add(name)
    }
  }
}

/** The records of a list that repeat a key, by position; `keys` is how many its parsed records have. */
export function findRepeatedKeys(parsed: Parsed, keys: number): ReadonlyMap<number, RepeatedKeys> {
  const found = new Map<number, { readonly names: Set<string>; idxs: number[] }>()
  const { bytes, text, value, maxDepth } = parsed
  if (keys === parsed.colons || checkDepth(bytes, maxDepth).colons === countKeys(value)) return found
  let idxs: number[] = []
  for (const { name, isRepeated, position, end } of keysIn(text, RECORD_DEPTH)) {
    if (name === 'idx' && !isRepeated) idxs = []
    IDX_VALUE.lastIndex = end
    const idx = name === 'idx' ? Number(IDX_VALUE.exec(text)?.[1] ?? Number.NaN) : Number.NaN
    if (Number.isSafeInteger(idx)) idxs.push(idx + 0)
    if (!isRepeated) continue
    const record = found.get(position) ?? { names: new Set(), idxs: [] }
    record.names.add(name)
    if (name === 'idx') record.idxs = idxs
    found.set(position, record)
  }
  return found
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

const NO_POSITIONS: ReadonlySet<number> = new Set()

/**
 * The positions of all records whose idx another record has too: a caller that matches by idx must never get another
 * patient's number. NaN stands for a record without a usable idx.
 * `ambiguousIdxs` are the numbers of records that write their idx twice: it is unclear which one is meant.
 * Callers choose the numbers, so they are sorted: ten thousand that share a place in a Map would take a second.
 */
export function duplicatesAmong(
  idxs: readonly number[] | Float64Array,
  ambiguousIdxs: readonly number[],
): ReadonlySet<number> {
  if (ambiguousIdxs.length === 0 && isAscending(idxs)) return NO_POSITIONS
  const taken = Float64Array.from([...repeatedIn(idxs), ...ambiguousIdxs]).sort()
  const found = new Set<number>()
  if (taken.length === 0) return found
  for (let position = 0; position < idxs.length; position++)
    if (isIn(taken, idxs[position] as number)) found.add(position)
  return found
}

/** The numbers that are there more than once. NaN is no number. */
function repeatedIn(numbers: readonly number[] | Float64Array): readonly number[] {
  const sorted = Float64Array.from(numbers).sort()
  const found: number[] = []
  for (let at = 1; at < sorted.length; at++)
    if (sorted[at] === sorted[at - 1]) found.push(sorted[at] as number)
  return found
}

/** Whether a number is in a sorted list. */
function isIn(sorted: Float64Array, wanted: number): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return sorted[low] === wanted
}

/** Most callers number their records upwards; then no two can be the same. */
function isAscending(idxs: Iterable<number>): boolean {
  let last = -Infinity
  for (const idx of idxs) {
    if (idx <= last) return false
    if (!Number.isNaN(idx)) last = idx
  }
  return true
}
