/**
 * Buffers for large bodies, used again and again. A fresh megabyte for every body makes the collector look through the
 * whole heap every few dozen requests, which costs more than to read and score what the bodies hold.
 */

/** Smaller bodies are cheaper made anew than looked after. */
const LEAST_BYTES = 65_536
/** What lies here unused at most. */
const MOST_BYTES = 67_108_864

export class BufferPool {
  private readonly free = new Map<number, ArrayBuffer[]>()
  /** What is out. Nothing else may be given back: memory that looks like ours may be Node's own, which many share. */
  private readonly lent = new WeakSet<ArrayBuffer>()
  private freeBytes = 0

  /** Room for a body of this size. It is the taker's alone until it is given back, and may hold old bytes. */
  take(size: number): Uint8Array<ArrayBuffer> {
    if (size < LEAST_BYTES) return new Uint8Array(size)
    const capacity = 2 ** Math.ceil(Math.log2(size))
    const buffer = this.reuse(capacity) ?? new ArrayBuffer(capacity)
    this.lent.add(buffer)
    return new Uint8Array(buffer, 0, size)
  }

  /** Gives a buffer back that nobody will look into any more. Whatever did not come from here is left alone. */
  give(buffer: ArrayBufferLike): void {
    if (buffer instanceof ArrayBuffer && this.lent.delete(buffer)) this.keep(buffer)
  }

  /** Takes a buffer in that a thread has handed over: it changed hands, so nobody else can have it. */
  adopt(buffer: ArrayBufferLike): void {
    if (buffer instanceof ArrayBuffer) this.keep(buffer)
  }

  private reuse(capacity: number): ArrayBuffer | undefined {
    const buffer = this.free.get(capacity)?.pop()
    if (buffer !== undefined) this.freeBytes -= capacity
    return buffer
  }

  private keep(buffer: ArrayBuffer): void {
    const capacity = buffer.byteLength
    const isOurSize = capacity >= LEAST_BYTES && Number.isInteger(Math.log2(capacity))
    if (!isOurSize || this.freeBytes + capacity > MOST_BYTES) return
    const list = this.free.get(capacity) ?? []
    this.free.set(capacity, list)
    list.push(buffer)
    this.freeBytes += capacity
  }
}

/** Gives the memory of a part back at once, where nothing else lies in it; left to the collector, it would be looked for all the time. */
export function freeNow(part: Uint8Array): void {
  const { buffer } = part
  if (buffer instanceof ArrayBuffer && buffer.byteLength === part.byteLength) buffer.transfer(0)
}
