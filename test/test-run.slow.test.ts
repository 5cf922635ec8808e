/** `npm test` itself: it names what fails and ends with an exit code that says so. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { needsPostgres } from './support/postgres-server.ts'
import { until } from './support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'test-run-'))
after(() => rmSync(folder, { recursive: true }))

const fileWith = (name: string, body: string): string => {
  const file = join(folder, `${name}.test.ts`)
  writeFileSync(file, `import { test } from 'node:test'\n${body}\n`)
  return file
}
const PASSES = fileWith('passes', `test('passes', () => undefined)`)

/** A file that cannot pass, and what the run must say. */
const FAILS: readonly (readonly [string, string, RegExp])[] = [
  ['a test fails', `test('planted', () => { throw new Error('on purpose') })`, /✖ planted[^]*on purpose/],
  ['a file cannot be loaded', `import './nothing.ts'`, /Cannot find module '[^']*nothing\.ts'/],
  [
    'a test ends its process',
    `test('ends', () => process.exit(0))`,
    /The process ended in .*fails\.test\.ts/,
  ],
]

const start = (...args: readonly string[]): ReturnType<typeof spawnSync> & { readonly said: string } => {
  // As from a shell: without it the inner run would report to this one.
  const env = { ...process.env }
  Reflect.deleteProperty(env, 'NODE_TEST_CONTEXT')
  const ended = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  return { ...ended, said: ended.stdout + ended.stderr }
}

const run = (...files: readonly string[]): ReturnType<typeof start> => start('scripts/test.ts', ...files)

test('a run in which all pass ends with 0 and lists its slowest files', () => {
  const { status, said } = run(PASSES, fileWith('others', `test('others', () => undefined)`))
  assert.equal(status, 0, said)
  assert.match(said, /slowest of 2 test files:\n.*\.test\.ts\n.*\.test\.ts/)
})

for (const [what, body, message] of FAILS) {
  test(`where ${what}, the run names it and ends with 1`, () => {
    const { status, said } = run(PASSES, fileWith('fails', body))
    assert.equal(status, 1)
    assert.match(said, /fails\.test\.ts/)
    assert.match(said, message)
  })
}

const SERVER = fileURLToPath(new URL('support/postgres-server.ts', import.meta.url))
for (const [what, body, code] of [
  ['passes', '', 0],
  ['fails', `throw new Error('on purpose')`, 1],
] as const) {
  test(`a file that uses PostgreSQL and ${what} ends with ${code} without the runner too`, () => {
    const file = fileWith('direct', `import ${JSON.stringify(SERVER)}\ntest('one', () => { ${body} })`)
    const { status, said } = start(file)
    assert.equal(status, code, said)
  })
}

for (const [moment, wait] of [
  ['a server is used', `await startPostgres()`],
  ['a server starts', `void startPostgres()`],
] as const) {
  for (const ending of ['process.exit(0)', `process.kill(process.pid, 'SIGTERM')`]) {
    test(`${ending} while ${moment} leaves no server and no folder`, needsPostgres(), async () => {
      const temporary = mkdtempSync(join(folder, 'temporary-'))
      // The user of the server works in it.
      for (const each of [folder, temporary]) chmodSync(each, 0o777)
      const file = fileWith(
        'ends',
        `import { startPostgres } from ${JSON.stringify(SERVER)}
${wait}
setTimeout(() => ${ending}, 300)`,
      )
      const { said } = start(`--import=data:text/javascript,process.env.TMPDIR='${temporary}'`, file)
      await until(() => readdirSync(temporary).length === 0, { timeoutMs: 10_000, what: said })
      await until(() => !spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout.includes(temporary))
    })
  }
}

test('--watch without files says what to do', () => {
  const { status, said } = run('--watch')
  assert.equal(status, 2)
  assert.match(said, /npm test -- --watch packages\//)
})
