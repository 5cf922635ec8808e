/** Compiles the byte reader and writes it, as text, into the engine: `npm run build:wasm`. The same source gives the same bytes. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadTool } from './load-tool.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const MODULE_FILE = fileURLToPath(new URL('../packages/engine/src/bytes/module.ts', import.meta.url))

/** What is used of `assemblyscript/asc`. */
interface Compiler {
  readonly main: (
    words: readonly string[],
    host: {
      readonly stderr: { write(text: string | Uint8Array): void }
      writeFile(name: string, contents: string | Uint8Array): void
    },
  ) => Promise<{ readonly error: Error | null }>
}

/** The compiled module. Throws a ToolMissing where the compiler cannot be installed. */
export async function compileReader(): Promise<Uint8Array> {
  const { main } = (await loadTool('assemblyscript')) as Compiler
  let binary: Uint8Array | undefined
  const errors: string[] = []
  const { error } = await main(
    [
      'packages/engine/wasm/reader.ts',
      '--outFile',
      'reader.wasm',
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--enable',
      'simd',
      '--baseDir',
      ROOT,
    ],
    {
      stderr: { write: (text) => errors.push(String(text)) },
      writeFile(name, contents) {
        if (name === 'reader.wasm') binary = contents as Uint8Array
      },
    },
  )
  if (error !== null || binary === undefined) {
    throw new Error(`the byte reader does not compile:\n${errors.join('')}`)
  }
  return binary
}

/** The engine's file that holds the module. */
export function moduleText(binary: Uint8Array): string {
  return `/** The compiled byte reader. Written by \`npm run build:wasm\` from \`wasm/\`; do not edit. */
const BASE64 =
  '${Buffer.from(binary).toString('base64')}'

export function readerModule(): Uint8Array {
  return Uint8Array.from(atob(BASE64), (char) => char.charCodeAt(0))
}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const binary = await compileReader()
  writeFileSync(MODULE_FILE, moduleText(binary))
  process.stdout.write(`packages/engine/src/bytes/module.ts: ${binary.length} bytes of WebAssembly\n`)
}
