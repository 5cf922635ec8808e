/** The competing event under two assumptions: it counts as the outcome, or its rows are left out where the outcome did not come. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sensitivityOf } from '../../../src/learn/figures/subgroups.ts'

/** The outcome and the competing event of each row: every pair of the two. */
const ROWS = [
  [1, false],
  [1, true],
  [0, false],
  [0, true],
] as const

test('an event after which the competing one came stays an event', () => {
  const predictions = {
    risks: Float64Array.from([0.1, 0.2, 0.3, 0.4]),
    outcomes: Uint8Array.from(ROWS, ([outcome]) => outcome),
    clusters: Int32Array.from(ROWS.keys()),
  }
  const attributes = { complete: [true, true, true, true], competing: ROWS.map(([, competing]) => competing) }
  const parts = sensitivityOf(predictions, attributes, undefined)
  assert.deepEqual(
    parts.map(({ level, rows, events }) => [level, rows, events]),
    [
      ['counted as the outcome', 4, 3],
      ['rows with it left out', 3, 2],
    ],
  )
})
