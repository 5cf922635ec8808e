/** The packed TypeScript client in other runtimes and compilers, the program of its README, and its former place. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import ts from 'typescript'
import { blocksOf } from '../documents/blocks.ts'
import { type Served, serve } from '../serve.ts'
import { type PackedClient, packClient } from './pack-client.ts'
import { runClient } from './run-client.ts'
import { OLDEST_TYPESCRIPT, RUNTIMES, fetchProgram } from './runtimes.ts'

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

const commands = await Promise.all(
  RUNTIMES.map(async (runtime) => ({ name: runtime.name, ...(await fetchProgram(runtime)) })),
)
for (const runtime of [{ name: `Node ${process.version}`, command: [process.execPath] }, ...commands]) {
  const { command, skip } = { command: [], skip: false, ...runtime }
  describe(runtime.name, { skip }, () => {
    test('every call', () => runClient(command, client, served))
    test('the README', async () => {
      const blocks = blocksOf(readFileSync('clients/typescript/README.md', 'utf8'))
      const at = blocks.findIndex(({ file }) => file === 'example.mjs')
      const [program, answer] = [blocks[at]?.text ?? '', blocks[at + 1]?.text]
      writeFileSync(
        join(client.folder, 'example.mjs'),
        program.replace('http://127.0.0.1:8080', served.origin),
      )
      const [file = '', ...words] = command
      const { stdout } = await run(file, [...words, 'example.mjs'], {
        cwd: client.folder,
        env: { ...process.env, KEY: served.key },
      })
      assert.equal(stdout.trimEnd(), answer)
    })
  })
}

const BROWSER = { lib: ['es2022', 'dom'], types: [] }
const SERVER = { lib: ['es2022'], types: ['node'], typeRoots: [resolve('node_modules/@types')] }
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }
const NODENEXT = { module: 'nodenext' }
const oldest = await fetchProgram(OLDEST_TYPESCRIPT)
const present = { command: [TSC] }
const COMPILERS = [
  ['a bundler and the types of a browser', present, { ...BUNDLER, ...BROWSER }],
  ['a bundler and the types of Node', present, { ...BUNDLER, ...SERVER }],
  ['nodenext and the types of a browser', present, { ...NODENEXT, ...BROWSER }],
  ['nodenext and the types of Node', present, { ...NODENEXT, ...SERVER }],
  [`${OLDEST_TYPESCRIPT.name} and a bundler`, oldest, { ...BUNDLER, ...BROWSER }],
  [`${OLDEST_TYPESCRIPT.name} and nodenext`, oldest, { ...NODENEXT, ...BROWSER }],
] as const
for (const [name, fetched, options] of COMPILERS) {
  const { command, skip } = { command: [], skip: false, ...fetched }
  test(`a strict program compiles with ${name}`, { skip }, async () => {
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

test('patient-risk/client has the same exports, marked as deprecated', async () => {
  const folder = join(client.folder, 'former')
  mkdirSync(folder)
  cpSync('package.json', join(folder, 'package.json'))
  await run(process.execPath, [TSC, '--project', 'clients', '--outDir', join(folder, 'dist/clients')])
  const program = join(folder, 'program.ts')
  const text = "import { RiskClient } from 'patient-risk/client'\nexport const made = RiskClient\n"
  writeFileSync(program, text)
  const found = suggestionsFor(program)
  assert.deepEqual([...new Set(found)], ["'RiskClient' is deprecated."])
  const script = `for (const name of ['patient-risk/client', 'patient-risk-client'])
    console.log(Object.keys(await import(name)).join())`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder })
  assert.equal(stdout, 'RiskClient,RiskServiceError\n'.repeat(2))
})

/** What an editor says of a program that has no fault. */
function suggestionsFor(path: string): readonly string[] {
  const settings: ts.CompilerOptions = { module: ts.ModuleKind.NodeNext, strict: true, types: [] }
  const service = ts.createLanguageService({
    ...ts.createCompilerHost(settings),
    writeFile: () => undefined,
    getCompilationSettings: () => settings,
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: (file) => {
      const text = ts.sys.readFile(file)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
  })
  assert.deepEqual(service.getSemanticDiagnostics(path), [])
  return service
    .getSuggestionDiagnostics(path)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
