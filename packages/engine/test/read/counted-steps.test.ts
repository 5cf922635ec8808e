/** The table of a range with steps is the table of its values, listed one by one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counted, countedSteps } from '../../src/bytes/field-tables.ts'
import { steppedValues } from '../../src/definition/domain.ts'

const RANGES: readonly (readonly [from: number, to: number, step: number])[] = [
  [0, 100, 5],
  [0, 100, 1],
  [0, 5, 0.5],
  [0.5, 5, 0.5],
  [-3, 3, 0.25],
  [0.1, 40, 0.1],
  [0.005, 1, 0.005],
  [0, 1, 0.125],
  [1, 10, 4],
  [7, 7, 7],
  [2, 3, 5],
]
for (const [from, to, step] of RANGES) {
  test(`${from} to ${to} in steps of ${step}`, () => {
    const range = { from, to }
    const listed = steppedValues(range, step)
    assert.ok(listed.every((value) => value >= from && value <= to))
    assert.deepEqual(countedSteps(range, step), counted(listed))
  })
}
