/** The memory of the byte reader: the module that owns it, and the tables that are written into it. WebAssembly may be missing; the reference then serves. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** What the reader and the engine tell each other: its exported globals. */
export type ReaderGlobals = Readonly<
  Record<
    'count' | 'position' | 'expect' | 'written' | 'today' | 'oddCount' | 'carriedCount',
    { value: number }
  >
>

export type WasmImports = Readonly<Record<string, Readonly<Record<string, (argument: number) => number>>>>

interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: WasmImports) => WasmInstance
}

/** The exports of a module, or undefined where the runtime cannot run it. */
export function instantiate(bytes: Uint8Array, imports: WasmImports): WasmInstance['exports'] | undefined {
  const wasm = (globalThis as { WebAssembly?: Wasm }).WebAssembly
  if (wasm === undefined) return undefined
  try {
    return new wasm.Instance(new wasm.Module(bytes), imports).exports
  } catch {
    // A runtime without the instructions that the module uses.
    return undefined
  }
}

const PAGE = 65_536
/** An address of 0 means that there is no table. */
const FIRST_PLACE = 1_024

/** Writes tables one after the other. Addresses are handed out once and stay. */
export class MemoryImage {
  private readonly memory: WasmMemory
  private end = FIRST_PLACE

  constructor(memory: WasmMemory) {
    this.memory = memory
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
