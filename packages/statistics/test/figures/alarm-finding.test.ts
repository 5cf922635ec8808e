/** What an alarm found, and what it cannot notice. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BoundedBin, type MonthOfBins, eventBounds, findingOf } from '@patient-risk/statistics'

const SETTINGS = { eta: 1, centre: Math.log(0.15 / 0.85) }
const bin = (risk: number, scored: number, least: number, most = least): BoundedBin => {
  return { risk, scored, least, most }
}
/** Events of a low and a high bin of 100 patients each, whose risks give 5 and 30. */
const month = (name: string, low: number, high: number): MonthOfBins => {
  return { month: name, bins: [bin(0.05, 100, low), bin(0.3, 100, high)] }
}
const right = [month('2026-01', 5, 30), month('2026-02', 5, 30), month('2026-03', 5, 30)]

/** The events of two months after three right ones · what is said of them. */
const FOUND = [
  [8, 42, 'more', 'all', 400, 70, 100],
  [2, 18, 'fewer', 'all', 400, 70, 40],
  [14, 21, 'tooExtreme', 'higher', 200, 60, 42],
  [2, 37, 'tooNarrow', 'higher', 200, 60, 74],
] as const
for (const [low, high, direction, about, scored, expected, events] of FOUND) {
  test(`${low} and ${high} events where 5 and 30 were expected: ${direction}`, () => {
    const months = [...right, month('2026-04', low, high), month('2026-05', low, high)]
    const found = findingOf(months, SETTINGS)
    assert.deepEqual(
      { ...found, expected: Math.round(found?.expected ?? 0) },
      { direction, since: '2026-04', about, scored, expected, least: events, most: events },
    )
  })
}

test('no months, no finding; evidence of many years is a number', () => {
  assert.equal(findingOf([], SETTINGS), undefined)
  const years = Array.from({ length: 240 }, (_each, at) => month(String(at).padStart(3, '0'), 60, 90))
  assert.equal(findingOf(years, SETTINGS)?.since, '000')
})

test('bounds of the ratio and of calibration in the large', () => {
  const found = eventBounds([bin(0.2, 50, 12, 20), bin(0.2, 50, 8, 10)])
  assert.deepEqual([found.scored, found.least, found.most, found.unknown], [100, 20, 30, 0.1])
  assert.deepEqual([found.ratio.from, found.ratio.to], [1, 1.5])
  const shift = (share: number): number => Math.log(share / (1 - share)) - Math.log(0.25)
  assert.ok(Math.abs((found.inTheLarge.from ?? 1) - shift(0.2)) < 1e-9)
  assert.ok(Math.abs((found.inTheLarge.to ?? 0) - shift(0.3)) < 1e-9)
  assert.deepEqual(eventBounds([bin(0.2, 10, 0, 10)]).inTheLarge, { from: null, to: null })
})

/** Mean risk · share of unknown outcomes · whether risks too low, and too high, can be noticed. */
const REACH = [
  [0.05, 0.015, true, true],
  [0.05, 0.016, true, false],
  [0.15, 0.05, true, true],
  [0.15, 0.051, true, false],
  [0.15, 0.23, true, false],
  [0.15, 0.24, false, false],
  [0.3, 0.113, true, true],
  [0.3, 0.115, true, false],
] as const
for (const [risk, unknown, low, high] of REACH) {
  test(`with ${100 * unknown} % unknown at ${100 * risk} %: risks too low ${low}, too high ${high}`, () => {
    const { tooLow, tooHigh } = eventBounds([bin(risk, 10_000, 0, 10_000 * unknown)])
    assert.deepEqual([tooLow.canNotice, tooHigh.canNotice], [low, high])
  })
}
