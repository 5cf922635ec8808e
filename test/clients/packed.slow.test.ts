/** The packed TypeScript client in other runtimes and compilers, and the program of its README. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import ts from 'typescript'
import { blocksOf } from '../support/document-blocks.ts'
import { type Served, serve } from '../support/serve.ts'
import { type PackedClient, packClient } from './pack-client.ts'
import { runClient } from './run-client.ts'
import { OLDEST_TYPESCRIPT, RUNTIMES, commandOf } from './runtimes.ts'

const run = promisify(execFile)
const TSC = resolve('node_modules/typescript/bin/tsc')

let client: PackedClient
let served: Served
before(async () => {
  client = packClient()
  served = await serve()
})
after(async () => {
  await served.close()
  client.remove()
})

const OWN = { name: `Node ${process.version}`, command: [process.execPath] }
for (const runtime of [OWN, ...RUNTIMES]) {
  test(`${runtime.name} makes every call and runs the README`, async (context) => {
    const { command, skip } = await commandOf(runtime)
    if (skip !== undefined) {
      context.skip(skip)
      return
    }
    await runClient(command, client, served)
    await runReadme(command)
  })
}

async function runReadme([program = '', ...words]: readonly string[]): Promise<void> {
  const blocks = blocksOf(readFileSync('clients/typescript/README.md', 'utf8'))
  const at = blocks.findIndex(({ file }) => file === 'example.mjs')
  const [text = '', answer] = blocks.slice(at, at + 2).map((block) => block.text)
  const example = text.replace('http://127.0.0.1:8080', served.origin)
  writeFileSync(join(client.folder, 'example.mjs'), example)
  const { stdout } = await run(program, [...words, 'example.mjs'], {
    cwd: client.folder,
    env: { ...process.env, KEY: served.key },
  })
  assert.equal(stdout.trimEnd(), answer)
}

const BROWSER = { lib: ['es2022', 'dom'], types: [] }
const SERVER = { lib: ['es2022'], types: ['node'], typeRoots: [resolve('node_modules/@types')] }
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }
const NODENEXT = { module: 'nodenext' }
const PRESENT = { name: `TypeScript ${ts.version}`, command: [TSC] }
const COMPILERS = [
  ['a bundler and the types of a browser', PRESENT, { ...BUNDLER, ...BROWSER }],
  ['a bundler and the types of Node', PRESENT, { ...BUNDLER, ...SERVER }],
  ['nodenext and the types of a browser', PRESENT, { ...NODENEXT, ...BROWSER }],
  ['nodenext and the types of Node', PRESENT, { ...NODENEXT, ...SERVER }],
  ['a bundler and the types of a browser', OLDEST_TYPESCRIPT, { ...BUNDLER, ...BROWSER }],
  ['nodenext and the types of a browser', OLDEST_TYPESCRIPT, { ...NODENEXT, ...BROWSER }],
] as const
for (const [name, compiler, options] of COMPILERS) {
  test(`a strict program compiles with ${compiler.name}, ${name}`, async (context) => {
    const { command, skip } = await commandOf(compiler)
    if (skip !== undefined) {
      context.skip(skip)
      return
    }
    const compilerOptions = {
      ...options,
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    }
    cpSync('test/clients/use-client.ts', join(client.folder, 'program.ts'))
    writeFileSync(
      join(client.folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['program.ts'] }),
    )
    await run(process.execPath, [...command, '--project', client.folder])
  })
}
