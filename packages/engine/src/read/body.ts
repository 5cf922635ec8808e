/** The bytes of a body: structure, text and value. Errors of the runtime quote the body, so they are not passed on. */
import { EngineError } from './engine-error.ts'
import { parseJson } from './parse-json.ts'

/** How deep a body nests, how many keys it writes, and how many objects and lists. */
export interface Structure {
  readonly depth: number
  readonly colons: number
  readonly containers: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/** The meaning of each byte outside strings; most have none. */
const NOTHING = 0
const STRING = 1
const KEY = 2
const DEEPER = 3
const HIGHER = 4
const MEANING = new Uint8Array(256)
MEANING[QUOTE] = STRING
MEANING[COLON] = KEY
for (const bracket of '[{') MEANING[bracket.charCodeAt(0)] = DEEPER
for (const bracket of ']}') MEANING[bracket.charCodeAt(0)] = HIGHER

/** Exact for well-formed JSON. For other text the parser decides. */
export function scanStructure(bytes: Uint8Array): Structure {
  let depth = 0
  let deepest = 0
  let colons = 0
  let containers = 0
  const end = bytes.length
  for (let at = 0; at < end; at++) {
    const meaning = MEANING[bytes[at] as number]
    if (meaning === NOTHING) continue
    if (meaning === STRING) {
      at++
      for (let byte = bytes[at]; byte !== QUOTE && at < end; byte = bytes[at])
        at += byte === BACKSLASH ? 2 : 1
    } else if (meaning === KEY) colons++
    else if (meaning === DEEPER) {
      containers++
      if (++depth > deepest) deepest = depth
    } else depth--
  }
  return { depth: deepest, colons, containers }
}

/** The byte order mark of UTF-8. */
const MARK = [0xef, 0xbb, 0xbf] as const

/** A text without a byte order mark at its start, which some senders add and a reader may ignore (RFC 8259, section 8.1). */
export function withoutMark<T extends Uint8Array>(bytes: T): T {
  return MARK.every((byte, at) => bytes[at] === byte) ? (bytes.subarray(MARK.length) as T) : bytes
}

// A byte order mark is skipped at the start of a whole text only. Anywhere else it is kept, and the parser refuses it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function decodeText(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw new EngineError('BODY_NOT_UTF8')
  }
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

export function parseText(text: string): unknown {
  const value = jsonIn(text)
  if (value === undefined) throw new EngineError('BODY_MALFORMED')
  return value
}

/** A parsed text. */
export interface Parsed {
  readonly bytes: Uint8Array
  readonly text: string
  /** Undefined if the text is not JSON. */
  readonly value: unknown
  /** How many colons the text has if its records look flat. */
  readonly colons: number | undefined
  readonly maxDepth: number
}

/** No text is deeper that looks flat and has no more colons than its records have keys: `[{"}":{}}]`. */
const FLAT_DEPTH = 3

/** Parses a text that is not too deep: millions of nested lists would take seconds and gigabytes. */
export function parseWithin(bytes: Uint8Array, maxDepth: number): Parsed {
  const text = decodeText(bytes)
  const colons = maxDepth < FLAT_DEPTH ? undefined : colonsIfFlat(text)
  if (colons === undefined) checkDepth(bytes, maxDepth)
  return { bytes, text, value: jsonIn(text), colons, maxDepth }
}

export function checkDepth(bytes: Uint8Array, maxDepth: number): Structure {
  const structure = scanStructure(bytes)
  if (structure.depth > maxDepth) throw new EngineError('BODY_TOO_DEEP')
  return structure
}

/**
 * How many colons a text has whose records look flat, as nearly all do; undefined for a text with more brackets. It uses the
 * runtime's own search, which takes half the time of the scan. Strings may hold brackets and colons, so the text is known only
 * if its parsed records have as many keys: then none is repeated, and no nested object has one.
 */
function colonsIfFlat(text: string): number | undefined {
  if (text.includes('[', text.indexOf('[') + 1)) return undefined
  for (let open = text.indexOf('{'); open >= 0;) {
    const close = text.indexOf('}', open)
    open = text.indexOf('{', open + 1)
    if (close < 0 || (open >= 0 && open < close)) return undefined
  }
  let colons = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) colons++
  return colons
}
