/** The memory of the byte reader: its module, and the tables in it. Without WebAssembly the reference does the work. */
interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** Globals of the module that are read or set while it runs. The others hold addresses. */
type Global = 'count' | 'position' | 'expect' | 'written' | 'today' | 'watchIn'

/** What the module exports. */
export interface ReaderModule extends Readonly<Record<Global, { value: number }>> {
  readonly memory: WasmMemory
  readonly readArray: (at: number, end: number) => number
  readonly readLines: (at: number, end: number, isLast: number) => number
  /** Enters the key of a slot into the hash by which unexpected keys are found. */
  readonly enterKey: (slot: number) => void
}

type Imports = Readonly<Record<'engine', Readonly<Record<string, (...values: number[]) => number>>>>

interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: Imports) => { readonly exports: ReaderModule }
}

/** The exports of a module, or undefined where the runtime cannot run it. */
export function instantiate(bytes: Uint8Array, imports: Imports): ReaderModule | undefined {
  try {
    const { Instance, Module } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly
    return new Instance(new Module(bytes), imports).exports
  } catch {
    // A runtime without WebAssembly, or without the instructions that the module uses.
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
  private view: DataView

  constructor(memory: WasmMemory) {
    this.memory = memory
    this.view = new DataView(memory.buffer)
  }

  /** A zeroed place of this many bytes, on a boundary of eight. */
  take(bytes: number): number {
    const place = (this.end + 7) & ~7
    this.end = place + bytes
    const missing = this.end - this.memory.buffer.byteLength
    // Stryker disable next-line ConditionalExpression,EqualityOperator: growing by no page changes nothing.
    if (missing <= 0) return place
    this.memory.grow(Math.ceil(missing / PAGE))
    this.view = new DataView(this.memory.buffer)
    return place
  }

  /** A table with a row of this many bytes for each item. It has an address even if it is empty. */
  table<T>(items: readonly T[], bytes: number, write: (row: number, item: T, index: number) => void): number {
    const place = this.take(Math.max(1, items.length) * bytes)
    items.forEach((item, index) => write(place + index * bytes, item, index))
    return place
  }

  /** A place that holds these numbers of 32 bits. */
  takeIntegers(numbers: readonly number[]): number {
    return this.table(numbers, 4, (place, number) => this.i32(place, number))
  }

  write(place: number, bytes: Uint8Array): void {
    new Uint8Array(this.memory.buffer).set(bytes, place)
  }

  u8(place: number, value: number): void {
    this.view.setUint8(place, value)
  }

  i16(place: number, value: number): void {
    this.view.setInt16(place, value, true)
  }

  i32(place: number, value: number): void {
    this.view.setInt32(place, value, true)
  }

  f64(place: number, value: number): void {
    this.view.setFloat64(place, value, true)
  }
}
