/** Repeated numbers are noticed exactly, within a bound that is never passed in silence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { EngineError } from '../../src/read/engine-error.ts'
import { PLAIN_SPREAD, SeenIdx, firstSlot } from '../../src/answer/seen-idx.ts'

const idx = fc.oneof(
  fc.integer({ min: -200, max: 200 }),
  fc.maxSafeInteger(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, -1, 2 ** 32, 2 ** 38),
)

const oddNumber = fc.nat(2 ** 31 - 1).map((half) => 2 * half + 1)
const spread = fc.record({ high: oddNumber, low: oddNumber })

test('it agrees with a Set, also after it was saved and loaded', () => {
  fc.assert(
    fc.property(fc.array(idx, { minLength: 400, maxLength: 600 }), fc.nat(), spread, (numbers, cut, by) => {
      const set = new Set<number>()
      let seen = new SeenIdx(10_000, by)
      numbers.forEach((number, index) => {
        if (index === cut % (numbers.length + 1)) {
          const state = seen.state()
          seen = new SeenIdx(10_000, by)
          seen.restore(state)
        }
        assert.equal(seen.add(number), !set.has(number))
        set.add(number)
      })
    }),
    { endOnFailure: true },
  )
})

test('numbers chosen to collide under one hash function spread under another', () => {
  const MASK = 2 ** 16 - 1
  const chosen = Array.from(
    { length: 1_000 },
    (_, high) => high * 2 ** 32 + (Math.imul(high, PLAIN_SPREAD.high) >>> 0),
  )
  const places = (by: typeof PLAIN_SPREAD): number =>
    new Set(chosen.map((page) => firstSlot(page, MASK, by))).size
  assert.equal(places(PLAIN_SPREAD), 1)
  // By chance a few meet; and a few spreads of all are so like the plain one that more do.
  assert.ok(places({ high: 0x2c1b3c6d, low: 0x297a2d39 }) > 900)
})

test('consecutive pages lie apart under the plain hash function', () => {
  const pages = Array.from({ length: 1_000 }, (_, page) => firstSlot(page, 2 ** 16 - 1, PLAIN_SPREAD))
  assert.ok(new Set(pages).size > 900)
})

test('scattered numbers are noticed, however far the table grows', () => {
  const seen = new SeenIdx(5_000)
  for (let page = 0; page < 5_000; page++) assert.ok(seen.add(page * 64))
  for (let page = 0; page < 5_000; page++) assert.equal(seen.add(page * 64), false)
})

test('the form in which numbers are kept stays: a page, and a bit for each of its numbers', () => {
  const seen = new SeenIdx(10)
  for (const number of [0, 31, 32, 63, 64]) seen.add(number)
  const { pages, bits } = seen.state()
  const kept = [...pages].map((page, at) => [page, bits[2 * at], bits[2 * at + 1]])
  assert.deepEqual(
    kept.sort(([a = 0], [b = 0]) => a - b),
    [
      [0, 0x80000001, 0x80000001],
      [1, 1, 0],
    ],
  )
})

test('lines give the positions of repeated numbers, and both numbers of an ambiguous line are taken', () => {
  const seen = new SeenIdx(10)
  const lines = (...idxs: readonly number[]): Parameters<SeenIdx['addLines']>[0] => ({
    idxs: Float64Array.from(idxs),
    ambiguousIdxs: new Map([[1, [7, 8]]]),
  })
  assert.deepEqual([...seen.addLines(lines(1, Number.NaN, 2, Number.NaN, 1), 100)], [104])
  assert.deepEqual([...seen.addLines(lines(3, 8, 7, 2, 4), 200)], [201, 202, 203])
})

test('consecutive numbers fit where scattered ones do not', () => {
  const dense = new SeenIdx(100)
  for (let number = 0; number < 6_400; number++) assert.ok(dense.add(number))
  assert.throws(() => dense.add(6_400), new EngineError('IDX_SCATTERED'))
  const scattered = new SeenIdx(100)
  for (let number = 0; number < 100; number++) scattered.add(number * 64)
  assert.throws(() => scattered.add(6_400), EngineError)
  assert.equal(scattered.add(0), false)
})
