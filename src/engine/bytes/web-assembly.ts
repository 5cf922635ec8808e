/** The little of WebAssembly that is used here. It may be missing, and then the reference serves. */

export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

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
