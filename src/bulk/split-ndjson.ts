/** Cuts text with a record a line into pieces of whole lines. */
import { BadFile } from '../tables/bad-file.ts'
import { LONGEST_RECORD_BYTES, RECORD_TOO_LONG, type TextChunk } from '../tables/chunk.ts'

const NEWLINE = 0x0a
const OPEN_BRACE = 0x7b

export async function* splitNdjson(
  input: AsyncIterable<Buffer>,
  chunkBytes: number,
): AsyncGenerator<TextChunk> {
  let held: Buffer[] = []
  let heldBytes = 0
  let first = 0
  let line = 1
  const cut = (bytes: Uint8Array): TextChunk => {
    const { lines, records } = countLines(bytes)
    const chunk: TextChunk = { kind: 'text', bytes, first, count: records, line }
    first += records
    line += lines
    return chunk
  }
  for await (const part of input) {
    held.push(part)
    heldBytes += part.length
    if (heldBytes < chunkBytes) continue
    const last = part.lastIndexOf(NEWLINE)
    if (last < 0) {
      if (heldBytes > LONGEST_RECORD_BYTES) throw new BadFile(RECORD_TOO_LONG, { line })
      continue
    }
    const rest = part.subarray(last + 1)
    held[held.length - 1] = part.subarray(0, last + 1)
    yield cut(whole(held))
    held = rest.length === 0 ? [] : [rest]
    heldBytes = rest.length
  }
  if (heldBytes > 0) yield cut(whole(held))
}

/** One buffer of its own, so that it can change hands. */
export function whole(parts: readonly Buffer[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function countLines(bytes: Uint8Array): { readonly lines: number; readonly records: number } {
  let lines = 0
  let records = 0
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline < 0 ? bytes.length : newline
    if (bytes[start] === OPEN_BRACE || !isBlank(bytes, start, end)) records++
    lines++
    start = end + 1
  }
  return { lines, records }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}
