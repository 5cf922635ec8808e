/**
 * Bytes that arrive in parts, gathered in one buffer that doubles. A list of the parts would cost some hundred bytes of memory for each
 * of them, and a caller may send parts of one byte. A single part is kept as it is, without a copy.
 */
const NONE = Buffer.alloc(0)

export class GatheredBytes {
  private room: Buffer = NONE
  private length = 0
  private readonly most: number

  /** `most` bytes are ever gathered, so that the last doubling does not overshoot. */
  constructor(most: number) {
    this.most = most
  }

  get size(): number {
    return this.length
  }

  /** The memory that is taken for them. */
  get capacity(): number {
    return this.room.length
  }

  /** The memory that would be taken with a part of this size. */
  capacityWith(partBytes: number): number {
    const needed = this.length + partBytes
    if (needed <= this.room.length) return this.room.length
    return Math.max(needed, Math.min(this.room.length * 2, this.most))
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    if (this.length === 0) {
      this.room = part
      this.length = part.length
      return
    }
    const capacity = this.capacityWith(part.length)
    if (capacity > this.room.length) {
      const wider = Buffer.allocUnsafeSlow(capacity)
      this.room.copy(wider, 0, 0, this.length)
      this.room = wider
    }
    part.copy(this.room, this.length)
    this.length += part.length
  }

  /** All of them. Nothing is held afterwards. */
  take(): Buffer {
    const all = this.room.subarray(0, this.length)
    this.room = NONE
    this.length = 0
    return all
  }
}
