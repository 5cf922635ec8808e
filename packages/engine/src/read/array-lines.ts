/**
 * Turns a JSON array into lines with an element each, in place and however its bytes arrive: a comma between elements becomes a line feed,
 * a line feed becomes a carriage return, which no JSON string may hold either. Every byte keeps its place, so that a fault can be
 * located. Elements are told apart, not checked.
 */
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

/** The bytes are not those of an array. */
export class ArrayFault extends Error {
  override readonly name = 'ArrayFault'
  /** The offset in the part that was given last, whose bytes before it are replaced. */
  readonly at: number

  constructor(problem: string, at: number) {
    super(problem)
    this.at = at
  }
}

export class ArrayLines {
  /** Open brackets, the array's own among them. */
  private depth = 0
  private isOver = false
  private inString = false
  private isEscaped = false
  /** A comma requires another element. */
  private element: 'possible' | 'needed' | 'there' = 'possible'
  private at = 0

  /** Replaces the next bytes of the array. Throws an ArrayFault. */
  replace(part: Uint8Array): void {
    for (this.at = 0; this.at < part.length; this.at++)
      part[this.at] = this.replacementOf(part[this.at] as number)
    this.at = 0
  }

  /** Call after the last bytes. Throws an ArrayFault where the array is not whole. */
  end(): void {
    if (!this.isOver)
      this.fail(this.depth === 0 ? 'is not a JSON array of records' : 'the array is not closed')
  }

  private replacementOf(byte: number): number {
    if (byte === NEWLINE) return CARRIAGE_RETURN
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false
      else if (byte === BACKSLASH) this.isEscaped = true
      else if (byte === QUOTE) this.inString = false
      return byte
    }
    if (byte === CARRIAGE_RETURN) return SPACE
    return byte === SPACE || byte === TAB ? byte : this.replaceToken(byte)
  }

  private replaceToken(byte: number): number {
    if (this.isOver) this.fail('something follows the end of the array')
    if (this.depth === 0) {
      if (byte !== OPEN_BRACKET) this.fail('is not a JSON array of records')
      this.depth = 1
      return SPACE
    }
    if (this.depth === 1 && (byte === COMMA || byte === CLOSE_BRACKET)) {
      if (this.element !== 'there' && (byte === COMMA || this.element === 'needed'))
        this.fail('an element is missing')
      this.element = 'needed'
      this.isOver = byte === CLOSE_BRACKET
      return this.isOver ? SPACE : NEWLINE
    }
    this.element = 'there'
    if (byte === QUOTE) this.inString = true
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) this.depth++
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      this.depth--
      if (this.depth < 1) this.fail('a bracket closes nothing')
    }
    return byte
  }

  private fail(problem: string): never {
    throw new ArrayFault(problem, this.at)
  }
}
