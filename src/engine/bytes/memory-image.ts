/** Lays tables one after the other into the memory of the byte reader. Addresses are handed out once and stay. */
import type { WasmMemory } from './web-assembly.ts'

const PAGE = 65_536

export class MemoryImage {
  private readonly memory: WasmMemory
  private end: number

  constructor(memory: WasmMemory, start: number) {
    this.memory = memory
    this.end = start
  }

  /** A zeroed place of this many bytes, on a boundary of eight. */
  take(bytes: number): number {
    const place = (this.end + 7) & ~7
    this.end = place + bytes
    const missing = this.end - this.memory.buffer.byteLength
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE))
    return place
  }

  /** The memory as it is now; a later `take` may move it. */
  get view(): DataView {
    return new DataView(this.memory.buffer)
  }

  /** A place that holds these numbers of 32 bits. */
  takeIntegers(numbers: readonly number[]): number {
    const place = this.take(Math.max(4, numbers.length * 4))
    numbers.forEach((number, index) => this.view.setInt32(place + index * 4, number, true))
    return place
  }

  write(place: number, bytes: Uint8Array): void {
    new Uint8Array(this.memory.buffer).set(bytes, place)
  }
}
