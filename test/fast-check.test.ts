/** Properties have a fixed seed, and a failure names it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { SEED, fc } from './support/fast-check.ts'

const SEEDED = 'test/support/fast-check.ts'

const FILES = globSync('{bench,clients,examples,packages,scripts,test}/**/*.{ts,tsx,js,mjs}', {
  exclude: ['**/node_modules/**', '**/built/**', relative('.', import.meta.filename)],
}).map((path) => [path, readFileSync(path, 'utf8')] as const)

test('no file but one imports fast-check itself, so every property has the seed', () => {
  const importing = FILES.filter(([, text]) => /['"]fast-check['"]/.test(text)).map(([path]) => path)
  assert.deepEqual(importing, [SEEDED], `import { SEED, fc } from '…/fast-check.ts' instead`)
})

test('no property has a seed of its own, which a run with random seeds would not change', () => {
  const asserting = FILES.filter(([, text]) => text.includes('fc.assert('))
  assert.ok(asserting.length > 20)
  const own = asserting.filter(([, text]) => /fc\.assert\([^;]*?\bseed:/s.test(text)).map(([path]) => path)
  assert.deepEqual(own, [])
})

/** The values that a property tries. */
const tried = (): readonly number[] => {
  const values: number[] = []
  fc.assert(fc.property(fc.integer(), (value) => void values.push(value)))
  return values
}

test('a property tries the same values each time', () => {
  assert.deepEqual(tried(), tried())
})

test('a property that fails names its seed', () => {
  assert.throws(() => fc.assert(fc.property(fc.integer(), () => false)), new RegExp(`seed: ${SEED}\\b`))
})

test('a failed property of an asynchronous test names its seed too', async () => {
  const failing = fc.assert(fc.asyncProperty(fc.integer(), () => Promise.resolve(false)))
  await assert.rejects(failing, new RegExp(`seed: ${SEED}\\b`))
})

test('a random seed that finds something is kept, with the command that tries it again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-seeds-'))
  const kept = join(folder, 'failed', 'seeds.txt')
  const failing = `import { fc } from './${SEEDED}'
    try { fc.assert(fc.property(fc.integer(), () => false)) } catch {}`
  for (const seed of ['7', '1', '8']) {
    const env = { ...process.env, SEED: seed, FAILED_SEEDS: kept }
    execFileSync(process.execPath, ['--input-type=module', '--eval', failing], { env })
  }
  const lines = readFileSync(kept, 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => /^SEED=(\d+) node --test .*# seed \1, path 0/.exec(line)?.[1]),
    ['7', '8'],
  )
  rmSync(folder, { recursive: true })
})
