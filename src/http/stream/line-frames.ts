/** Splits arriving bytes into whole lines, and never holds more of a line than the longest allowed. */
import { GatheredBytes } from '../request/gathered-bytes.ts'

const NEWLINE = 0x0a
/** Replaces a line that is too long. It is not a record either, so it gets the same answer. */
const PLACEHOLDER = Buffer.from('0\n')
const NOTHING = Buffer.alloc(0)

export class LineFrames {
  private readonly maxLineBytes: number
  /** The beginning of a line whose end has not arrived. */
  private readonly held: GatheredBytes
  private isSkipping = false

  constructor(maxLineBytes: number) {
    this.maxLineBytes = maxLineBytes
    this.held = new GatheredBytes(maxLineBytes)
  }

  /** The memory held for a line whose end has not arrived. */
  get heldBytes(): number {
    return this.held.capacity
  }

  /** The lines that are complete now; empty until a line is complete. */
  push(arrived: Buffer): Buffer {
    let chunk = arrived
    if (this.isSkipping) {
      const end = chunk.indexOf(NEWLINE)
      if (end < 0) return NOTHING
      this.isSkipping = false
      chunk = chunk.subarray(end + 1)
    }
    const last = chunk.lastIndexOf(NEWLINE)
    const lines = last < 0 ? NOTHING : Buffer.concat([this.held.take(), chunk.subarray(0, last + 1)])
    const rest = chunk.subarray(last + 1)
    if (this.held.size + rest.length <= this.maxLineBytes) {
      this.held.add(rest)
      return lines
    }
    this.held.take()
    this.isSkipping = true
    return Buffer.concat([lines, PLACEHOLDER])
  }

  /** The last line, which may lack its line feed. */
  end(): Buffer {
    return this.held.take()
  }
}
