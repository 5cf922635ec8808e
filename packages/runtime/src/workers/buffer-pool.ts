/**
 * Reusable buffers for large bodies. A new buffer for every body makes the garbage collector run over the whole heap every few
 * dozen requests, which costs more than scoring the records: see docs/speed.md.
 */

/** Smaller buffers are cheaper to allocate than to manage. */
export const POOLED_BYTES = 65_536
/** The most that is kept unused. */
const MOST_BYTES = 67_108_864

export class BufferPool {
  private readonly free = new Map<number, ArrayBuffer[]>()
  /** Buffers in use. Only these may be given back: others may be Node's own, which are shared. */
  private readonly lent = new WeakSet<ArrayBuffer>()
  private freeBytes = 0

  /** A buffer for a body of this size. It may hold old bytes. */
  take(size: number): Uint8Array<ArrayBuffer> {
    if (size < POOLED_BYTES) return new Uint8Array(size)
    const capacity = 2 ** Math.ceil(Math.log2(size))
    const free = this.free.get(capacity)?.pop()
    if (free !== undefined) this.freeBytes -= capacity
    const buffer = free ?? new ArrayBuffer(capacity)
    this.lent.add(buffer)
    return new Uint8Array(buffer, 0, size)
  }

  /** Gives a buffer back that nobody uses any more. A buffer that did not come from here is ignored. */
  give(buffer: ArrayBufferLike): void {
    if (buffer instanceof ArrayBuffer && this.lent.delete(buffer)) this.adopt(buffer)
  }

  /** Takes a buffer that a worker has transferred to this thread, so that nobody else has it. */
  adopt(buffer: ArrayBufferLike): void {
    const capacity = buffer.byteLength
    const isOurSize = capacity >= POOLED_BYTES && Number.isInteger(Math.log2(capacity))
    if (!(buffer instanceof ArrayBuffer) || !isOurSize || this.freeBytes + capacity > MOST_BYTES) return
    const list = this.free.get(capacity) ?? []
    this.free.set(capacity, list)
    list.push(buffer)
    this.freeBytes += capacity
  }
}

/** Frees the memory of a part at once if nothing else is in it, instead of leaving it to the garbage collector. */
export function freeNow(part: Uint8Array): void {
  const { buffer, byteLength } = part
  // An empty part may be a constant.
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
