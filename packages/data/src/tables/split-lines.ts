/** Lines with a record each, for `score` and `learn`: the input as chunks of whole lines, and the lines of a chunk. */
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
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
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

/**
 * Turns a JSON array into lines with an element each, in place: a comma between elements becomes a line feed, a line feed
 * becomes a carriage return, which no JSON string may hold either. Every byte keeps its place, so that a fault can be located.
 */
async function* arrayToLines(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  /** Open brackets, the array's own among them. */
  let depth = 0
  let isOver = false
  let inString = false
  let isEscaped = false
  /** A comma requires another element. */
  let element: 'possible' | 'needed' | 'there' = 'possible'
  let place: Place = { line: 1, column: 1 }
  let part: Buffer = Buffer.alloc(0)
  let at = 0
  const fail = (message: string): never => {
    throw new BadFile(message, placeAfter(place, part.subarray(0, at)))
  }
  const replaceToken = (byte: number): number => {
    if (isOver) fail('something follows the end of the array')
    if (depth === 0) {
      if (byte !== OPEN_BRACKET) fail('is not a JSON array of records')
      depth = 1
      return SPACE
    }
    if (depth === 1 && (byte === COMMA || byte === CLOSE_BRACKET)) {
      if (element !== 'there' && (byte === COMMA || element === 'needed')) fail('an element is missing')
      element = 'needed'
      isOver = byte === CLOSE_BRACKET
      return isOver ? SPACE : NEWLINE
    }
    element = 'there'
    if (byte === QUOTE) inString = true
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth++
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      depth--
      if (depth < 1) fail('a bracket closes nothing')
    }
    return byte
  }
  /** The byte to write in place of the next byte of the array. */
  const replace = (byte: number): number => {
    if (byte === NEWLINE) return CARRIAGE_RETURN
    if (inString) {
      if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) inString = false
      return byte
    }
    if (byte === CARRIAGE_RETURN) return SPACE
    return byte === SPACE || byte === TAB ? byte : replaceToken(byte)
  }
  for await (part of parts) {
    for (at = 0; at < part.length; at++) part[at] = replace(part[at] as number)
    place = placeAfter(place, part)
    at = 0
    yield part
  }
  if (!(isOver as boolean)) fail(depth === 0 ? 'is not a JSON array of records' : 'the array is not closed')
}
