/**
 * Bytes that arrive in parts, gathered in one buffer. A list of the parts would cost some hundred bytes of memory for each of
 * them, and a caller may send parts of one byte. A single part is kept as it is, without a copy.
 */
import { type BufferPool, freeNow } from '../../workers/buffer-pool.ts'

const NONE = Buffer.alloc(0)

export class GatheredBytes {
  size = 0
  private room: Uint8Array = NONE
  private readonly most: number
  private readonly declared: number
  private readonly pool: BufferPool | undefined

  /** `most` bytes are ever gathered, so that the last doubling does not overshoot. A declared size needs no doubling. */
  constructor(most: number, declared = 0, pool?: BufferPool) {
    this.most = most
    this.declared = declared
    this.pool = pool
  }

  /** The memory that is taken for them. Of a declared size only what has arrived is counted: a caller may announce much and send little. */
  get capacity(): number {
    return this.declared > 0 ? this.size : this.room.length
  }

  /** The memory that would be taken with a part of this size. */
  capacityWith(partBytes: number): number {
    const needed = this.size + partBytes
    if (this.declared > 0) return needed
    if (needed <= this.room.length) return this.room.length
    return Math.max(needed, Math.min(this.room.length * 2, this.most))
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    if (this.size === 0) {
      this.room = part
      this.size = part.length
      return
    }
    const capacity = this.declared > 0 ? this.declared : this.capacityWith(part.length)
    if (capacity > this.room.length) {
      const wider = this.pool?.take(capacity) ?? Buffer.allocUnsafeSlow(capacity)
      wider.set(this.room.subarray(0, this.size))
      if (this.declared > 0) freeNow(this.room)
      this.room = wider
    }
    this.room.set(part, this.size)
    this.size += part.length
    if (this.declared > 0) freeNow(part)
  }

  /** All of them. Nothing is held afterwards. */
  take(): Buffer {
    const all = Buffer.from(this.room.buffer, this.room.byteOffset, this.size)
    this.room = NONE
    this.size = 0
    return all
  }
}
