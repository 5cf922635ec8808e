/** Figures of several rounds as one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Round } from '../../bench/measure.ts'
import { medianOf, printRange, printRatio, ratioOf, spreadOf } from '../../bench/spread.ts'

const SPREADS = [
  [[3], { least: 3, median: 3, most: 3 }],
  [[3, 1, 2], { least: 1, median: 2, most: 3 }],
  [[4, 1, 2, 3], { least: 1, median: 2.5, most: 4 }],
] as const

for (const [numbers, spread] of SPREADS) {
  test(`the spread of ${numbers.join()}`, () => assert.deepEqual(spreadOf(numbers), spread))
}

test('without a round there is no figure', () => {
  assert.throws(() => spreadOf([]), /no round/)
})

const round = (recordsPerSecond: number): Round => ({
  recordsPerSecond,
  p50Ms: 1,
  p99Ms: 1,
  cpuUs: 1,
  refused: 0,
})

test('a ratio is taken round by round, so that a machine that changes its speed does not change it', () => {
  const service = [200, 20, 2_000].map(round)
  const floor = [100, 10, 1_000].map(round)
  assert.deepEqual(ratioOf(service, floor, 'recordsPerSecond'), { least: 2, median: 2, most: 2 })
  assert.equal(medianOf(service, 'recordsPerSecond'), 200)
})

test('ratios are printed with two places, and with one from ten on', () => {
  assert.deepEqual([0.271, 1.9, 33.04].map(printRatio), ['0.27', '1.90', '33.0'])
  assert.equal(printRange({ least: 0.9, median: 1, most: 12.34 }), '0.90–12.3')
})
