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
  let state: 'before' | 'inside' | 'after' = 'before'
  let depth = 0
  let inString = false
  let isEscaped = false
  let hasElement = false
  /** Whether a comma requires another element. */
  let needsElement = false
  let line = 1
  let column = 0
  const fail = (message: string): never => {
    throw new BadFile(message, { line, column: Math.max(1, column) })
  }
  const replaceToken = (byte: number): number => {
    if (state === 'before') {
      if (byte !== OPEN_BRACKET) fail('is not a JSON array of records')
      state = 'inside'
      return SPACE
    }
    if (state === 'after') fail('something follows the end of the array')
    if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET)) {
      if (!hasElement && (byte === COMMA || needsElement)) fail('an element is missing')
      needsElement = byte === COMMA
      hasElement = false
      if (byte === COMMA) return NEWLINE
      state = 'after'
      return SPACE
    }
    hasElement = true
    if (byte === QUOTE) inString = true
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth++
    else if ((byte === CLOSE_BRACKET || byte === CLOSE_BRACE) && --depth < 0) fail('a bracket closes nothing')
    return byte
  }
  /** What stands for the next byte. */
  const replace = (byte: number): number => {
    if (byte === NEWLINE) {
      line++
      column = 0
      return inString ? FORBIDDEN : CARRIAGE_RETURN
    }
    column++
    if (inString) {
      if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) inString = false
      return byte
    }
    if (byte === CARRIAGE_RETURN) return SPACE
    return byte === SPACE || byte === TAB ? byte : replaceToken(byte)
  }
  for await (const part of parts) {
    for (let at = 0; at < part.length; at++) part[at] = replace(part[at] as number)
    yield part
  }
  const end = state as 'before' | 'inside' | 'after'
  if (end === 'before') fail('is not a JSON array of records')
  if (end === 'inside') fail('the array is not closed')
}
