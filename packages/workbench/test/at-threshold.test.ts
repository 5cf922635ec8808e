/** A risk exactly at the threshold is high wherever the page says so: the answer of the service is Yes there too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListResults } from '../src/list/score/list-results.ts'
import { summarise } from '../src/list/summary/quality.ts'
import { NO_FILTER, passes } from '../src/list/table/filter-rows.ts'

const THRESHOLD = 0.15
/** A risk, and whether it is high. */
const RISKS = [
  [0.1499, false],
  [0.15, true],
  [0.1501, true],
] as const

for (const [risk, isHigh] of RISKS) {
  test(`a risk of ${risk} at a threshold of ${THRESHOLD} is ${isHigh ? 'high' : 'not high'}`, () => {
    const results = new ListResults(1)
    results.put(0, { idx: 1, risk, error_message: null })
    const isShown = (band: 'high' | 'low'): boolean => passes(results, 0, { ...NO_FILTER, band }, THRESHOLD)
    assert.deepEqual([isShown('high'), isShown('low')], [isHigh, !isHigh])
    assert.equal(summarise(results, THRESHOLD, { rows: 0 }).high, isHigh ? 1 : 0)
  })
}

/** A part of the histogram, and whether a risk of 0.2 is in it: from its first value up to, not including, its last. */
const PARTS = [
  [0.1, 0.2, false],
  [0.2, 0.3, true],
  [0.1, 0.3, true],
  [0.2001, 0.3, false],
] as const
for (const [from, to, isIn] of PARTS) {
  test(`a risk of 0.2 is ${isIn ? '' : 'not '}in the part from ${from} to ${to}`, () => {
    const results = new ListResults(1)
    results.put(0, { idx: 1, risk: 0.2, error_message: null })
    assert.equal(passes(results, 0, { ...NO_FILTER, range: [from, to] }, THRESHOLD), isIn)
  })
}
