/** What a column of outcomes may hold where `--outcome` or `--competing` names it alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specificationIn } from '../src/cli/learn/options.ts'

test('--outcome reads 1, true, yes and Yes as the event, and their opposites as none', () => {
  const { outcome } = specificationIn({ outcome: 'died' }).data
  assert.deepEqual(outcome, {
    column: 'died',
    yes: ['1', 'true', 'yes', 'Yes'],
    no: ['0', 'false', 'no', 'No'],
  })
})

test('--competing reads the same words', () => {
  const { competing } = specificationIn({ outcome: 'died', competing: 'moved' }).data
  assert.deepEqual(competing, { column: 'moved', values: ['1', 'true', 'yes', 'Yes'] })
})
