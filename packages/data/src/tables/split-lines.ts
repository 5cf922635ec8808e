/** Lines with a record each, for `score` and `learn`: the input as chunks of whole lines, and the lines of a chunk. */
import { ArrayFault, ArrayLines } from 'patient-risk-engine/read'
import { BadFile } from './bad-file.ts'

export interface Chunk {
  readonly bytes: Uint8Array
  /** Position of its first record in the file, from 0, and how many records it has. */
  readonly first: number
  readonly count: number
  readonly place: Place
}

/** Both counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface ChunkMemory {
  /** Memory for a chunk. It belongs to the reader of the chunk. */
  take(size: number): Uint8Array
  /** Called with a part of the input when all its bytes were copied. */
  free(part: Uint8Array): void
}

export const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const TAB = 0x09
/** A longer record means a broken file, which would otherwise be held in memory as a whole. */
const LONGEST_RECORD_BYTES = 64 * 1024 * 1024

/**
 * A chunk ends with the first line feed after `chunkBytes`. So the chunks are the same each time, however the bytes arrive, and
 * a resumed run finds those of the run before.
 */
export async function* splitLines(
  input: AsyncIterable<Buffer>,
  chunkBytes: number,
  isArray: boolean,
  memory: ChunkMemory,
): AsyncGenerator<Chunk> {
  let held: Buffer[] = []
  let heldBytes = 0
  let first = 0
  let place: Place = { line: 1, column: 1 }
  const cut = (): Chunk => {
    const bytes = memory.take(heldBytes)
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
  for await (const part of isArray ? arrayToLines(input) : input) {
    let isCut = false
    for (let at = 0; at < part.length;) {
      const newline = part.indexOf(NEWLINE, at + Math.max(0, chunkBytes - heldBytes))
      const piece = part.subarray(at, newline < 0 ? part.length : newline + 1)
      // The memory of a part is given back when its chunks are cut, so the rest of it is copied.
      held.push(newline < 0 && isCut ? Buffer.from(piece) : piece)
      heldBytes += piece.length
      at += piece.length
      if (newline < 0) break
      isCut = true
      yield cut()
    }
    if (isCut) memory.free(part)
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
    while (start < end && isSpace(bytes[start] as number)) start++
    if (start < end) records++
    start = end + 1
  }
  return { lines, records }
}

/** The lines that are not blank, each with its number in the file. */
export function* linesIn({
  bytes: given,
  place,
}: Chunk): Generator<readonly [line: Uint8Array, number: number]> {
  const bytes = asBuffer(given)
  let number = place.line
  for (let start = 0; start < bytes.length; number++) {
    const found = bytes.indexOf(NEWLINE, start)
    const line = bytes.subarray(start, found < 0 ? bytes.length : found)
    if (!line.every(isSpace)) yield [line, number]
    start += line.length + 1
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN
}

export function placeAfter({ line, column }: Place, given: Uint8Array): Place {
  const bytes = asBuffer(given)
  let after = line
  let start = 1 - column
  for (let at = bytes.indexOf(CARRIAGE_RETURN); at >= 0; at = bytes.indexOf(CARRIAGE_RETURN, at + 1)) {
    after++
    start = at + 1
  }
  return { line: after, column: bytes.length - start + 1 }
}

/** Searching in a Buffer is several times as fast as in a Uint8Array. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** The elements of a JSON array as lines. A fault is located in the file. */
async function* arrayToLines(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const lines = new ArrayLines()
  let place: Place = { line: 1, column: 1 }
  let part: Buffer = Buffer.alloc(0)
  try {
    for await (part of parts) {
      lines.replace(part)
      place = placeAfter(place, part)
      yield part
    }
    part = Buffer.alloc(0)
    lines.end()
  } catch (error) {
    if (!(error instanceof ArrayFault)) throw error
    throw new BadFile(error.message, placeAfter(place, part.subarray(0, error.at)))
  }
}
