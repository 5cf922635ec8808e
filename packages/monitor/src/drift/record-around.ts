/** Finds single records in the bytes of a body, without parsing it. */
import type { Host } from '../host.ts'

const OPEN = 0x7b
/** Longer records are not taken. */
const LONGEST_BYTES = 65_536
/** White space that may lie before a record. */
const MARGIN_BYTES = 64
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })
/**
 * An object after the beginning of the list or a comma. A string that contains these characters gives a sample that is not JSON, which the
 * caller ignores; a nested object follows a colon, and what holds one is not taken.
 */
const RECORD = /(?<=[[,]\s*)\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/y

/**
 * The text of the record around a place, directly from the bytes; undefined if no record lies there or it is longer than
 * `longest`. Places are drawn at random, so a long record is hit more often than a short one. The length that the caller draws
 * compensates for it: every record has the same chance.
 */
export function recordAround(
  body: Uint8Array,
  place: number,
  longest: number,
  host: Pick<Host, 'latin1'>,
): string | undefined {
  const start = body.lastIndexOf(OPEN, place)
  if (start < Math.max(0, place - longest)) return undefined
  const from = Math.max(0, start - MARGIN_BYTES)
  const end = Math.min(body.length, start + Math.floor(Math.min(longest, LONGEST_BYTES)))
  RECORD.lastIndex = start - from
  const [record] = RECORD.exec(host.latin1(body.subarray(from, end))) ?? []
  if (record === undefined || start + record.length <= place) return undefined
  return UTF8.decode(body.subarray(start, start + record.length))
}
