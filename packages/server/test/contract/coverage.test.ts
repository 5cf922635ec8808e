/** Fails when a clause of the contract has no test that names it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { CLAUSES } from '../../../../test/support/clauses.ts'

test('every clause of the contract has a test that names it', () => {
  const named = new Set<string>()
  for (const file of globSync('packages/*/test/**/*.test.ts')) {
    const text = readFileSync(file, 'utf8')
    // A clause is named in the call itself or in a row of a table; the compiler refuses an unknown name.
    if (!text.includes("/clauses.ts'")) continue
    for (const [, clause = ''] of text.matchAll(/'(\d+\.[a-z0-9-]+)'/g)) named.add(clause)
  }
  assert.deepEqual(
    Object.keys(CLAUSES).filter((clause) => !named.has(clause)),
    [],
  )
})
