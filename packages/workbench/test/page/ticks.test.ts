/** Round figures along an axis. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anchorAt, percentDecimals, ticks } from '../../src/ui/ticks.ts'

const AXES: readonly (readonly [readonly [number, number], number, readonly number[]])[] = [
  [[0, 1], 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [[0, 0.5], 5, [0, 0.1, 0.2, 0.3, 0.4, 0.5]],
  [[0.1, 0.3], 4, [0.1, 0.15, 0.2, 0.25, 0.3]],
  [[0, 10], 4, [0, 2.5, 5, 7.5, 10]],
  [[65, 104], 4, [70, 80, 90, 100]],
  [[-1, 1], 2, [-1, 0, 1]],
]

for (const [range, wanted, expected] of AXES) {
  test(`about ${wanted} ticks from ${range[0]} to ${range[1]}`, () =>
    assert.deepEqual(ticks(range, wanted), expected))
}

test('a range of one value has a tick, and zero has no sign', () => {
  assert.deepEqual(ticks([3, 3], 4), [3])
  assert.ok(ticks([-1, 1], 2).every((tick) => !Object.is(tick, -0)))
})

const DECIMALS = [
  [[0, 0.1, 0.2], 0],
  [[0, 0.025, 0.05], 1],
  [[0, 0.0025], 2],
] as const

for (const [found, decimals] of DECIMALS) {
  test(`percentages of ${found.join(', ')} need ${decimals} decimals`, () =>
    assert.equal(percentDecimals(found), decimals))
}

test('the first and the last text stay within the drawing', () => {
  assert.deepEqual(
    [0, 1, 2].map((place) => anchorAt(place, 2)),
    ['start', 'middle', 'end'],
  )
})
