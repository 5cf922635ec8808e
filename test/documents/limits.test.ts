/** Every limit of docs/limits.md has a test below, at and above it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LIMITS, WITHOUT_AN_EDGE } from '../support/limits.ts'
import { rowsOf } from '../support/document-pages.ts'

/** Heads of tables and the lines below them. */
const NO_LIMIT = /^(limit|bound|-+)$/

test('the tables of docs/limits.md have these limits, and no others', () => {
  const stated = rowsOf('docs/limits.md')
    .map(([cell = '']) => cell.replaceAll(/ \(`\w+`\)/g, ''))
    .filter((name) => !NO_LIMIT.test(name))
  assert.deepEqual(stated, [...LIMITS])
})

const TESTS = globSync('{packages/*/test,test}/**/*.test.ts')
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

for (const limit of LIMITS) {
  const reason = WITHOUT_AN_EDGE[limit]
  test(`${limit}: ${reason ?? 'has a test at its edge'}`, () => {
    const isTested = new RegExp(`\\batLimit(<\\w+>)?\\(\\s*'${limit}'`).test(TESTS)
    assert.equal(isTested, reason === undefined)
  })
}
