/** The programs of the client pages: TypeScript compiles under the strictest settings, and all print what the pages show. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import ts from 'typescript'
import { blocksOf } from '../support/document-blocks.ts'
import { type Served, serve } from '../support/serve.ts'

const PACKAGE = {
  'patient-risk': resolve('packages/patient-risk/src/index.ts'),
  'patient-risk-client': resolve('clients/typescript/src/client.ts'),
}
const STRICT: ts.CompilerOptions = {
  ...ts.convertCompilerOptionsFromJson(
    { target: 'es2024', lib: ['es2024'], module: 'nodenext', types: ['node'] },
    process.cwd(),
  ).options,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitReturns: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  paths: Object.fromEntries(Object.entries(PACKAGE).map(([name, file]) => [name, [file]])),
}

const hasR = spawnSync('Rscript', ['-e', 'stopifnot(requireNamespace("curl"), requireNamespace("jsonlite"))'])
const programs = ['docs/clients.md', 'docs/create-scorer.md'].flatMap((page) => {
  const blocks = blocksOf(readFileSync(page, 'utf8'))
  return blocks
    .map((block, index) => ({ page, ...block, answer: blocks[index + 1] }))
    .filter(({ language, apart }) => language === 'ts' || (language === 'r' && apart === undefined))
})

const folder = mkdtempSync(join(tmpdir(), 'documented-clients-'))
const fileOf = ({ page, line }: { readonly page: string; readonly line: number }): string =>
  join(folder, `${page.replaceAll(/\W/g, '-')}-${line}.mts`)

let served: Served
before(async () => {
  served = await serve()
  for (const program of programs) writeFileSync(fileOf(program), program.text)
})
after(async () => {
  await served.close()
  rmSync(folder, { recursive: true, force: true })
})

test('every TypeScript program of the pages compiles', () => {
  const typed = programs.filter(({ language }) => language === 'ts')
  assert.ok(typed.length >= 2)
  const found = ts.getPreEmitDiagnostics(ts.createProgram(typed.map(fileOf), STRICT))
  assert.deepEqual(
    found.map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    ),
    [],
  )
})

for (const program of programs.filter(({ apart }) => apart === undefined)) {
  const { page, line, language, answer, text } = program
  const skip =
    language === 'r' && hasR.status !== 0 ? 'skipped: R with curl and jsonlite is not installed' : false
  test(`${page}:${line} prints what the page shows`, { skip }, async () => {
    assert.ok(answer?.isAnswer === true, 'a program has its answer after it')
    const here = Object.entries(PACKAGE).reduce(
      (all, [name, file]) => all.replace(`'${name}'`, `'${file}'`),
      text.replaceAll('http://127.0.0.1:8080', served.origin),
    )
    writeFileSync(fileOf(program), here)
    const command = language === 'ts' ? process.execPath : 'Rscript'
    const args = language === 'ts' ? [] : ['--vanilla']
    const { stdout } = await promisify(execFile)(command, [...args, fileOf(program)], {
      env: { ...process.env, KEY: served.key, NO_COLOR: '1' },
    })
    assert.equal(stdout.trimEnd(), answer.text.trimEnd())
  })
}
