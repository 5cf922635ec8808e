/**
 * Cuts a JSON array into pieces with an element a line: a comma between elements becomes a line feed, a line feed
 * inside an element becomes a carriage return. Every byte keeps its place, so that a fault can be located.
 */
import { BadFile } from '../../tables/bad-file.ts'
import { LONGEST_RECORD_BYTES, RECORD_TOO_LONG, type Chunk } from './chunk.ts'
import { whole } from './split-ndjson.ts'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const TAB = 0x09
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
/** No character of a JSON string: what stands in the place of a raw line feed keeps it malformed. */
const FORBIDDEN = 0x01

type State = 'before' | 'inside' | 'after'

export async function* splitJson(input: AsyncIterable<Buffer>, chunkBytes: number): AsyncGenerator<Chunk> {
  const splitter = new Splitter()
  for await (const part of input) {
    splitter.take(part)
    if (splitter.heldBytes >= chunkBytes) {
      const chunk = splitter.cut()
      if (chunk !== undefined) yield chunk
      else if (splitter.heldBytes > LONGEST_RECORD_BYTES) throw new BadFile(RECORD_TOO_LONG)
    }
  }
  const last = splitter.end()
  if (last !== undefined) yield last
}

class Splitter {
  heldBytes = 0
  private held: Buffer[] = []
  private state: State = 'before'
  private depth = 0
  private inString = false
  private escaped = false
  /** Whether the present element has begun. */
  private hasElement = false
  private elements = 0
  private first = 0
  private line = 1
  private column = 0
  private chunkLine = 1
  /** Bytes up to and with the last comma between elements. */
  private boundary = 0
  private boundaryElements = 0
  private boundaryLine = 1
  private boundaryColumn = 0
  private chunkColumn = 0

  take(part: Buffer): void {
    // A copy: what is written over must not be somebody else's.
    const bytes = Buffer.from(part)
    for (let at = 0; at < bytes.length; at++) this.step(bytes, at)
    this.held.push(bytes)
    this.heldBytes += bytes.length
  }

  /** The elements up to the last comma; undefined until a comma was read. */
  cut(): Chunk | undefined {
    if (this.boundary === 0) return undefined
    const all = Buffer.from(whole(this.held))
    const chunk = this.chunk(new Uint8Array(all.subarray(0, this.boundary)), this.boundaryElements)
    const rest = all.subarray(this.boundary)
    this.held = [rest]
    this.heldBytes = rest.length
    this.first += this.boundaryElements
    this.elements -= this.boundaryElements
    this.chunkLine = this.boundaryLine
    this.chunkColumn = this.boundaryColumn
    this.boundary = 0
    this.boundaryElements = 0
    return chunk
  }

  end(): Chunk | undefined {
    if (this.state === 'before') this.fail('is not a JSON array of records')
    if (this.state === 'inside') this.fail('the array is not closed')
    return this.elements === 0 ? undefined : this.chunk(whole(this.held), this.elements)
  }

  private chunk(bytes: Uint8Array, count: number): Chunk {
    return { bytes, first: this.first, count, line: this.chunkLine, column: this.chunkColumn }
  }

  private step(bytes: Buffer, at: number): void {
    const byte = bytes[at] as number
    if (byte === NEWLINE) {
      this.line++
      this.column = 0
      bytes[at] = this.inString ? FORBIDDEN : CARRIAGE_RETURN
      return
    }
    this.column++
    if (this.inString) this.stepString(byte)
    else if (byte === CARRIAGE_RETURN) bytes[at] = SPACE
    else if (byte !== SPACE && byte !== TAB) this.stepToken(bytes, at, byte)
  }

  private stepString(byte: number): void {
    if (this.escaped) this.escaped = false
    else if (byte === BACKSLASH) this.escaped = true
    else if (byte === QUOTE) this.inString = false
  }

  private stepToken(bytes: Buffer, at: number, byte: number): void {
    if (this.state === 'before') {
      if (byte !== OPEN_BRACKET) this.fail('is not a JSON array of records')
      this.state = 'inside'
      bytes[at] = SPACE
      return
    }
    if (this.state === 'after') this.fail('something follows the end of the array')
    if (this.depth === 0 && byte === COMMA) {
      this.endElement(bytes, at)
      return
    }
    if (this.depth === 0 && byte === CLOSE_BRACKET) {
      if (!this.hasElement && this.first + this.elements > 0) this.fail('an element is missing')
      this.state = 'after'
      bytes[at] = SPACE
      return
    }
    if (!this.hasElement) {
      this.hasElement = true
      this.elements++
    }
    if (byte === QUOTE) this.inString = true
    else if (OPENING.has(byte)) this.depth++
    else if (CLOSING.has(byte) && --this.depth < 0) this.fail('a bracket closes nothing')
  }

  private endElement(bytes: Buffer, at: number): void {
    if (!this.hasElement) this.fail('an element is missing')
    this.hasElement = false
    bytes[at] = NEWLINE
    this.boundary = this.heldBytes + at + 1
    this.boundaryElements = this.elements
    this.boundaryLine = this.line
    this.boundaryColumn = this.column
  }

  private fail(message: string): never {
    throw new BadFile(message, { line: this.line, column: Math.max(1, this.column) })
  }
}

/** Line and column of a byte in a piece that was cut here. */
export function placeIn(chunk: Chunk, offset: number): { readonly line: number; readonly column: number } {
  const before = Buffer.from(chunk.bytes.buffer, chunk.bytes.byteOffset, offset)
  let line = chunk.line
  let start = -(chunk.column ?? 0)
  for (let at = before.indexOf(CARRIAGE_RETURN); at >= 0; at = before.indexOf(CARRIAGE_RETURN, at + 1)) {
    line++
    start = at + 1
  }
  return { line, column: offset - start + 1 }
}
