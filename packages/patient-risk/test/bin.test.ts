/** Which Node the command runs on: in an installed package, in a checkout, and by the `bin` at the top of the checkout. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const COMMAND = 'bin/patient-risk.js'
const COMPILED = 'dist/patient-risk/src/cli/main.js'
const SOURCE = 'packages/patient-risk/src/cli/main.ts'

const folder = mkdtempSync(join(tmpdir(), 'bin-'))
after(() => rmSync(folder, { recursive: true }))

const installed = join(folder, 'installed')
cpSync(join(ROOT, 'packages/patient-risk/bin'), join(installed, 'bin'), { recursive: true })
const checkout = join(folder, 'checkout')
cpSync(join(ROOT, 'bin'), join(checkout, 'bin'), { recursive: true })
cpSync(join(ROOT, 'packages/patient-risk/bin'), join(checkout, 'packages/patient-risk/bin'), {
  recursive: true,
})
for (const path of [join(installed, COMPILED), join(checkout, SOURCE)]) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'process.stdout.write(`ran ${process.argv.slice(2).join()}`)\n')
}
for (const root of [installed, checkout]) writeFileSync(join(root, 'package.json'), '{"type":"module"}')

interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command with a Node that says it has this version. */
function runAs(version: string, command: string): Ran {
  const claim = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })
Object.defineProperty(process, 'version', { value: 'v${version}' })`
  const claimed = `data:text/javascript,${encodeURIComponent(claim)}`
  return spawnSync(process.execPath, ['--import', claimed, command, 'a', 'b'], { encoding: 'utf8', env: {} })
}

const LINKED = 'packages/patient-risk/bin/patient-risk.js'
const NEEDED = /^patient-risk needs Node 22\.20, 24\.7 or newer, and this is v[\d.]+\.\n$/
const IN_CHECKOUT = /^patient-risk needs Node 24\.7 or newer, and this is v24\.6\.0\. .*npx.*\n$/
/** Folder · command · version of Node · what it prints if this Node is too old. */
const RUNS: readonly (readonly [string, string, string, RegExp | undefined])[] = [
  [installed, COMMAND, '18.20.0', NEEDED],
  [installed, COMMAND, '22.19.0', NEEDED],
  [installed, COMMAND, '22.20.0', undefined],
  [installed, COMMAND, '23.11.0', NEEDED],
  [installed, COMMAND, '24.6.0', NEEDED],
  [installed, COMMAND, '24.7.0', undefined],
  [installed, COMMAND, '25.0.0', undefined],
  [checkout, LINKED, '24.6.0', IN_CHECKOUT],
  [checkout, LINKED, '24.7.0', undefined],
  [checkout, COMMAND, '24.7.0', undefined],
  [checkout, COMMAND, '24.6.0', /^A checkout of patient-risk needs Node 24\.7 .* npm rebuild node\n$/],
]
for (const [root, command, version, refusal] of RUNS) {
  const name = `${root === installed ? 'an installed package' : 'a checkout'}: ${command}`
  test(`${name} ${refusal === undefined ? 'runs' : 'is refused'} on Node ${version}`, () => {
    const { status, stdout, stderr } = runAs(version, join(root, command))
    assert.match(stderr, refusal ?? /^$/)
    assert.equal(stdout, refusal === undefined ? 'ran a,b' : '')
    assert.equal(status, refusal === undefined ? 0 : 2)
  })
}

test('the bin of a checkout takes the Node that npm has installed where the host has an older one', () => {
  const own = join(checkout, 'node_modules/node/bin/node')
  mkdirSync(dirname(own), { recursive: true })
  symlinkSync(process.execPath, own)
  try {
    const { status, stdout, stderr } = runAs('18.20.0', join(checkout, COMMAND))
    assert.equal(stderr, '')
    assert.equal(stdout, 'ran a,b')
    assert.equal(status, 0)
  } finally {
    rmSync(join(checkout, 'node_modules'), { recursive: true })
  }
})

test('the warning that node:sqlite is experimental is not printed, and other warnings are', () => {
  const main = `process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning')
process.emitWarning('another', 'ExperimentalWarning')\n`
  const other = join(folder, 'warning')
  cpSync(installed, other, { recursive: true })
  writeFileSync(join(other, COMPILED), main)
  const { stderr } = runAs('22.20.0', join(other, COMMAND))
  assert.doesNotMatch(stderr, /SQLite/)
  assert.match(stderr, /ExperimentalWarning: another/)
})
