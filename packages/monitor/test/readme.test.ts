/** The example of the README prints what the README says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runExample } from '../../../test/support/readme-example.ts'

test('the example of the README prints what the README says', () => {
  const { printed, promised } = runExample(fileURLToPath(new URL('../README.md', import.meta.url)))
  assert.equal(printed, promised)
})
