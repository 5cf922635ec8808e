/** Counts lines, and the records among them; a blank line is no record. It reads four bytes at a time. */

const NEWLINE = 0x0a
const OPEN_BRACE = 0x7b
const WORD = 4
const NEWLINES = 0x0a0a0a0a
const ONES = 0x01010101
const HIGH_BITS = 0x80808080 | 0

export interface LineCount {
  readonly lines: number
  readonly records: number
}

/** The last line needs no line feed. The bytes must begin where a word begins, as those of a buffer of their own do. */
export function countLines(bytes: Uint8Array): LineCount {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  let lines = 0
  let records = 0
  let start = 0
  const endLine = (end: number): void => {
    if (bytes[start] === OPEN_BRACE || !isBlank(bytes, start, end)) records++
    lines++
    start = end + 1
  }
  for (let index = 0; index < words.length; index++) {
    const different = (words[index] as number) ^ NEWLINES
    // Not 0 when one of the four bytes is: then, and only then, each of them is looked at.
    if (((different - ONES) & ~different & HIGH_BITS) === 0) continue
    const place = index * WORD
    for (let at = place; at < place + WORD; at++) if (bytes[at] === NEWLINE) endLine(at)
  }
  for (let at = words.length * WORD; at < bytes.length; at++) if (bytes[at] === NEWLINE) endLine(at)
  if (start < bytes.length) endLine(bytes.length)
  return { lines, records }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}
