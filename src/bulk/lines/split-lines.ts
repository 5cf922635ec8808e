/** Cuts text with a record a line into chunks of whole lines: what one thread works on at a time. */
import { BadFile } from '../../tables/bad-file.ts'
import { type BufferPool, freeNow } from '../../workers/buffer-pool.ts'
import { ARRAY_LINE_END } from './array-to-lines.ts'

export interface Chunk {
  readonly bytes: Uint8Array
  /** Position of its first record in the file, from 0, and how many records it has. */
  readonly first: number
  readonly count: number
  /** Where it starts in the file. */
  readonly place: Place
}

/** Both counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

const NEWLINE = 0x0a
/** A longer record means a broken file, which would otherwise be held in memory as a whole. */
const LONGEST_RECORD_BYTES = 64 * 1024 * 1024

/**
 * A chunk ends with the first line feed after so many bytes. So the chunks are the same each time, however the bytes arrive, and a
 * resumed run finds those of the run before. They lie in buffers of the pool; the code that has used one may release it.
 */
export async function* splitLines(
  input: AsyncIterable<Buffer>,
  chunkBytes: number,
  isArray: boolean,
  pool: BufferPool,
): AsyncGenerator<Chunk> {
  let held: Buffer[] = []
  let heldBytes = 0
  let first = 0
  let place: Place = { line: 1, column: 1 }
  const cut = (): Chunk => {
    const bytes = pool.take(heldBytes)
    let at = 0
    for (const part of held) {
      bytes.set(part, at)
      at += part.length
    }
    held = []
    heldBytes = 0
    const { lines, records } = countLines(bytes)
    const chunk: Chunk = { bytes, first, count: records, place }
    first += records
    place = isArray ? placeAfter(place, bytes) : { line: place.line + lines, column: 1 }
    return chunk
  }
  for await (const part of input) {
    let isCut = false
    for (let at = 0; at < part.length;) {
      const newline = part.indexOf(NEWLINE, at + Math.max(0, chunkBytes - heldBytes))
      const piece = part.subarray(at, newline < 0 ? part.length : newline + 1)
      // The memory of a part is given back when its chunks are cut, so what is left of it is copied.
      held.push(newline < 0 && isCut ? Buffer.from(piece) : piece)
      heldBytes += piece.length
      at += piece.length
      if (newline < 0) break
      isCut = true
      yield cut()
    }
    if (isCut) freeNow(part)
    if (heldBytes > LONGEST_RECORD_BYTES)
      throw new BadFile('a record is longer than 64 MiB, or its end is missing', { line: place.line })
  }
  if (heldBytes > 0) yield cut()
}

/** Counts lines, and the records among them: a blank line is not a record. The last line needs no line feed. */
export function countLines(given: Uint8Array): { readonly lines: number; readonly records: number } {
  const bytes = asBuffer(given)
  let lines = 0
  let records = 0
  for (let start = 0; start < bytes.length; lines++) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found < 0 ? bytes.length : found
    while (start < end && isSpace(bytes[start])) start++
    if (start < end) records++
    start = end + 1
  }
  return { lines, records }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}

/** Where the file goes on after these bytes of an array that was made into lines. */
export function placeAfter({ line, column }: Place, given: Uint8Array): Place {
  const bytes = asBuffer(given)
  let after = line
  let start = 1 - column
  for (let at = bytes.indexOf(ARRAY_LINE_END); at >= 0; at = bytes.indexOf(ARRAY_LINE_END, at + 1)) {
    after++
    start = at + 1
  }
  return { line: after, column: bytes.length - start + 1 }
}

/** The search of a Buffer is several times as fast as that of a Uint8Array. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}
