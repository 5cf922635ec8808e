/** Properties have a fixed seed, and a failure names it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SEED, fc } from './support/fast-check.ts'

const SEEDED = 'test/support/fast-check.ts'

test('no file but one imports fast-check itself, so every property has the seed', () => {
  const files = globSync('{bench,clients,examples,scripts,src,test,workbench}/**/*.{ts,tsx,js,mjs}')
  const importing = files.filter((file) => /['"]fast-check['"]/.test(readFileSync(file, 'utf8')))
  assert.deepEqual(
    importing.filter((file) => file !== import.meta.filename),
    [SEEDED],
    `import { SEED, fc } from '…/fast-check.ts' instead`,
  )
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
