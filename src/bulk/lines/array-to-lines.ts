/**
 * Turns a JSON array into lines with an element each, in place: a comma between elements becomes a line feed, a line feed
 * inside an element becomes a carriage return. Every byte keeps its place, so that a fault can be located.
 */
import { BadFile } from '../../tables/bad-file.ts'

const NEWLINE = 0x0a
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
/** Not a character of a JSON string: what takes the place of a raw line feed keeps the string malformed. */
const FORBIDDEN = 0x01

/** What ends a line of the file in the lines that are made of it. */
export const ARRAY_LINE_END = CARRIAGE_RETURN

export async function* arrayToLines(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const array = new ArrayReader()
  for await (const part of parts) {
    for (let at = 0; at < part.length; at++) part[at] = array.replace(part[at] as number)
    yield part
  }
  array.end()
}

class ArrayReader {
  private state: 'before' | 'inside' | 'after' = 'before'
  private depth = 0
  private inString = false
  private isEscaped = false
  private hasElement = false
  /** Whether a comma requires another element. */
  private needsElement = false
  private line = 1
  private column = 0

  /** What stands for the next byte. */
  replace(byte: number): number {
    if (byte === NEWLINE) {
      this.line++
      this.column = 0
      return this.inString ? FORBIDDEN : CARRIAGE_RETURN
    }
    this.column++
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false
      else if (byte === BACKSLASH) this.isEscaped = true
      else if (byte === QUOTE) this.inString = false
      return byte
    }
    if (byte === CARRIAGE_RETURN) return SPACE
    return byte === SPACE || byte === TAB ? byte : this.replaceToken(byte)
  }

  end(): void {
    if (this.state === 'before') this.fail('is not a JSON array of records')
    if (this.state === 'inside') this.fail('the array is not closed')
  }

  private replaceToken(byte: number): number {
    if (this.state === 'before') {
      if (byte !== OPEN_BRACKET) this.fail('is not a JSON array of records')
      this.state = 'inside'
      return SPACE
    }
    if (this.state === 'after') this.fail('something follows the end of the array')
    if (this.depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET)) {
      if (!this.hasElement && (byte === COMMA || this.needsElement)) this.fail('an element is missing')
      this.needsElement = byte === COMMA
      this.hasElement = false
      if (byte === COMMA) return NEWLINE
      this.state = 'after'
      return SPACE
    }
    this.hasElement = true
    if (byte === QUOTE) this.inString = true
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) this.depth++
    else if ((byte === CLOSE_BRACKET || byte === CLOSE_BRACE) && --this.depth < 0)
      this.fail('a bracket closes nothing')
    return byte
  }

  private fail(message: string): never {
    throw new BadFile(message, { line: this.line, column: Math.max(1, this.column) })
  }
}
