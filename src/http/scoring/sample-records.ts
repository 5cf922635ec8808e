/**
 * Takes the record around a place in a body, directly from the bytes. Places are drawn at random, so a long record is hit
 * more often than a short one; the length that the caller draws compensates for it. Every record has the same chance.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_LIST = 0x5b

/** The text of the record around a place; undefined if no record lies there or it is longer than `longest`. */
export function recordAround(body: Uint8Array, place: number, longest: number): string | undefined {
  const start = startBefore(body, place, Math.max(0, place - longest))
  if (start === undefined) return undefined
  const end = endOf(body, start, Math.min(body.length, start + longest))
  if (end === undefined || end <= place) return undefined
  return Buffer.from(body.buffer, body.byteOffset + start, end - start).toString('utf8')
}

/**
 * Where a `{` follows the beginning of the list or a comma. A string that contains these characters gives a sample that is
 * not JSON, which the caller ignores; a nested object follows a colon.
 */
function startBefore(body: Uint8Array, place: number, first: number): number | undefined {
  for (let open = body.lastIndexOf(OPEN, place); open >= first; open = body.lastIndexOf(OPEN, open - 1)) {
    let before = open - 1
    while ((body[before] ?? 0x21) <= 0x20) before--
    if (body[before] === COMMA || body[before] === OPEN_LIST) return open
    if (open === 0) return undefined
  }
  return undefined
}

function endOf(body: Uint8Array, start: number, last: number): number | undefined {
  let depth = 0
  let isText = false
  for (let at = start; at < last; at++) {
    const byte = body[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === OPEN) depth++
    else if (byte === CLOSE && --depth === 0) return at + 1
  }
  return undefined
}
