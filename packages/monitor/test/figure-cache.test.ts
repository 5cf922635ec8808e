/** Figures are computed again where a count of any kind has changed, and only there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CountedCell, FigureCache } from '@patient-risk/monitor'

const cell = (outcome: number, number: number, units: number): CountedCell => ({ outcome, number, units })
const BEFORE = [cell(0, 5, 900), cell(1, 2, 1_000), cell(2, 1, 300), cell(3, 1, 0)]

/** What has changed since the figures were computed · whether they are computed again. */
const CHANGES: readonly (readonly [what: string, after: readonly CountedCell[], isComputed: boolean])[] = [
  ['nothing', BEFORE, false],
  ['the order of the rows', BEFORE.toReversed(), false],
  ['the rows by group, with the same sums', [cell(0, 2, 400), cell(0, 3, 500), ...BEFORE.slice(1)], false],
  ['an event', [cell(0, 5, 900), cell(1, 3, 1_400), ...BEFORE.slice(2)], true],
  ['somebody who died first', [...BEFORE.slice(0, 2), cell(2, 2, 300), cell(3, 1, 0)], true],
  ['somebody whose outcome is unknown', [...BEFORE.slice(0, 3), cell(3, 2, 0)], true],
  [
    'an event and none in place of each other',
    [cell(0, 5, 1_000), cell(1, 2, 900), ...BEFORE.slice(2)],
    true,
  ],
]

for (const [what, after, isComputed] of CHANGES) {
  test(`${what} since then: figures are ${isComputed ? 'computed again' : 'those from before'}`, async () => {
    const cache = new FigureCache()
    let computed = 0
    const compute = (): Promise<never> => {
      computed++
      return Promise.resolve({} as never)
    }
    await cache.get('part', BEFORE, compute)
    await cache.get('part', after, compute)
    assert.equal(computed, isComputed ? 2 : 1)
  })
}
