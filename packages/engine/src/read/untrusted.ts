/** Untrusted JSON: read strictly, and accessed safely, because a resource may hold anything anywhere. */
import { decodeText, parseText, scanStructure, withoutMark } from './body.ts'
import { countKeys } from './repeated-keys.ts'
import { EngineError } from './engine-error.ts'

export type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function inside(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce((found, key) => (isObject(found) ? found[key] : undefined), value)
}

const MAX_DEPTH = 32
/** Records have an object or list in 50 bytes. Many more would exhaust the memory: 64 MiB of `{},` need 2.5 GB. */
const MOST_CONTAINERS = 2_000_000

/** Reads a body of JSON. A key that occurs twice in an object is refused: parsers disagree on which one counts. */
export function parseBody(body: Uint8Array): unknown {
  const { depth, colons, containers } = scanStructure(body)
  if (depth > MAX_DEPTH)
    throw new EngineError('BODY_TOO_DEEP', `The body is nested deeper than ${MAX_DEPTH} levels.`)
  if (containers > MOST_CONTAINERS)
    throw new EngineError(
      'BODY_TOO_LARGE',
      `The body holds more than ${MOST_CONTAINERS} objects and lists. Send the patients in several requests.`,
    )
  const value = parseText(decodeText(withoutMark(body)))
  const keys = countKeys(value)
  if (keys !== colons)
    throw new EngineError('BODY_MALFORMED', 'The body has an object with the same key twice.')
  return value
}
