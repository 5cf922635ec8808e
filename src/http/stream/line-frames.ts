/** Cuts what arrives into whole lines, and never holds more of one line than a line may have. */

const NEWLINE = 0x0a
/** Stands for a line that is too long to be held: like it, it is no record. */
const STAND_IN = Buffer.from('0\n')

export class LineFrames {
  private readonly maxLineBytes: number
  private held: Buffer[] = []
  private heldBytes = 0
  private isSkipping = false

  constructor(maxLineBytes: number) {
    this.maxLineBytes = maxLineBytes
  }

  /** The whole lines that are there now; empty while the first of them is not at its end. */
  push(arrived: Buffer): Buffer {
    let chunk = arrived
    if (this.isSkipping) {
      const end = chunk.indexOf(NEWLINE)
      if (end < 0) return Buffer.alloc(0)
      this.isSkipping = false
      chunk = chunk.subarray(end + 1)
    }
    const last = chunk.lastIndexOf(NEWLINE)
    const lines = last < 0 ? Buffer.alloc(0) : Buffer.concat([...this.held, chunk.subarray(0, last + 1)])
    if (last >= 0) this.release()
    this.hold(chunk.subarray(last + 1))
    if (this.heldBytes <= this.maxLineBytes) return lines
    this.release()
    this.isSkipping = true
    return Buffer.concat([lines, STAND_IN])
  }

  /** The last line, which may lack its line feed. */
  end(): Buffer {
    return Buffer.concat(this.held)
  }

  private hold(part: Buffer): void {
    if (part.length === 0) return
    this.held.push(part)
    this.heldBytes += part.length
  }

  private release(): void {
    this.held = []
    this.heldBytes = 0
  }
}
