/** What must hold of any follow-up: weights, ties, repeated patients, and the ends of what can be estimated. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CENSORED,
  DIED_FIRST,
  type DeathIs,
  EVENT,
  type FollowUp,
  followedOf,
  horizonFigures,
  horizonMeasures,
  horizonOf,
  isFollowed,
  weighHorizon,
} from '@patient-risk/statistics'
import { fc } from '../../../../test/support/fast-check.ts'
import { type Row, followUpOf, inventFollowUp } from '../../../../test/support/follow-up.ts'

const READINGS: readonly DeathIs[] = ['none', 'censored', 'event']
const close = (found: number, expected: number, within = 1e-10): void =>
  assert.ok(Math.abs(found - expected) <= within, `${found} and ${expected}`)
const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0)

/** Few days and few risks, so that every kind of tie occurs. */
const someRows = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 5 })),
  { minLength: 2, maxLength: 40 },
)
const rowsFrom = (made: readonly (readonly [number, number, number])[]): readonly Row[] =>
  made.map(([day, end, risk]) => [day, end, risk / 6])
const HORIZON = 5

test('weights add up to the rows, and weighted events to the share of Aalen and Johansen', () => {
  fc.assert(
    fc.property(someRows, fc.constantFrom(...READINGS), (made, deathIs) => {
      const horizon = horizonOf(followUpOf(rowsFrom(made)), HORIZON, deathIs)
      const { atHorizon, remaining } = weighHorizon(horizon)
      // Where the last one is censored by the horizon, nobody stands for the others.
      fc.pre(remaining.atHorizon > 0)
      close(total(atHorizon), made.length)
      const events = total(atHorizon.map((weight, row) => weight * (horizon.outcomes[row] ?? 0)))
      close(events / made.length, horizonFigures(horizon).observed.value)
    }),
  )
})

/** By the definition, pair by pair. */
function slowConcordance(rows: FollowUp, weights: readonly number[]) {
  const horizon = horizonOf(rows, HORIZON, 'none')
  const own = { ...rows, weights: Float64Array.from(weights) }
  const { remaining } = weighHorizon({ ...horizon, rows: own })
  const sums = { harrell: [0, 0], uno: [0, 0], wolbers: [0, 0] } as const
  for (const [i, dayI] of rows.days.entries()) {
    if (rows.ends[i] !== EVENT || dayI > HORIZON) continue
    for (const [j, dayJ] of rows.days.entries()) {
      const placeI = horizon.timeline.placeOf[i] ?? 0
      const before = remaining.before[placeI] ?? 0
      const riskI = rows.risks[i] ?? 0
      const riskJ = rows.risks[j] ?? 0
      const win = riskI > riskJ ? 1 : riskI === riskJ ? 0.5 : 0
      const weight = (weights[i] ?? 0) * (weights[j] ?? 0)
      const add = (sum: readonly number[], scale: number): void => {
        const both = sum as [number, number]
        both[0] += weight * scale * win
        both[1] += weight * scale
      }
      if (dayJ > dayI || (dayJ === dayI && rows.ends[j] === CENSORED)) {
        add(sums.harrell, 1)
        add(sums.uno, 1 / before ** 2)
        add(sums.wolbers, 1 / (before * (remaining.after[placeI] ?? 0)))
      } else if (rows.ends[j] === DIED_FIRST) {
        const placeJ = horizon.timeline.placeOf[j] ?? 0
        add(sums.wolbers, 1 / (before * (remaining.before[placeJ] ?? 0)))
      }
    }
  }
  const shareOf = ([wins = 0, pairs = 0]: readonly number[]): number => wins / pairs
  return [shareOf(sums.harrell), shareOf(sums.uno), shareOf(sums.wolbers)]
}

test('the c-statistics equal their definition, pair by pair, with ties and weights', () => {
  fc.assert(
    fc.property(
      someRows,
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 40, maxLength: 40 }),
      (made, all) => {
        const weights = all.slice(0, made.length)
        const rows = followUpOf(rowsFrom(made), undefined, weights)
        const horizon = horizonOf(rows, HORIZON, 'none')
        fc.pre(weighHorizon(horizon).remaining.atHorizon > 0)
        const { harrell, uno, wolbers } = horizonFigures(horizon).concordance
        const slow = slowConcordance(rows, weights)
        ;[harrell, uno, wolbers].forEach((value, k) => {
          const expected = slow[k] ?? Number.NaN
          if (Number.isNaN(expected)) assert.ok(Number.isNaN(value))
          else close(value, expected)
        })
      },
    ),
  )
})

/** Every figure with its errors, in one list. */
function valuesOf(rows: FollowUp, deathIs: DeathIs, horizon = 8): readonly number[] {
  const { observed, ratio, meanRisk, brier, inTheLarge, slope, area, concordance } = horizonFigures(
    horizonOf(rows, horizon, deathIs),
  )
  const estimates = [observed, ratio, inTheLarge, slope]
  return [
    meanRisk,
    brier.value,
    brier.scaled,
    area.value,
    area.eventFree,
    ...estimates.map(({ value }) => value),
    ...estimates.map(({ error }) => error),
    concordance.harrell,
    concordance.uno,
    concordance.wolbers,
  ]
}

for (const deathIs of READINGS) {
  test(`death is ${deathIs}: a weight of two is as good as two rows of the same patient, and copies give no certainty`, () => {
    const once = inventFollowUp(200, 11)
    const twice = once.flatMap((row, index) => (index % 3 === 0 ? [row, row] : [row]))
    const patients = once.flatMap((_row, index) => (index % 3 === 0 ? [index, index] : [index]))
    const weights = once.map((_row, index) => (index % 3 === 0 ? 2 : 1))
    const copied = valuesOf(followUpOf(twice, patients), deathIs)
    valuesOf(followUpOf(once, undefined, weights), deathIs).forEach((value, k) =>
      close(value, copied[k] ?? 0, 1e-9),
    )
    const whole = [...once, ...once, ...once]
    const again = whole.map((_row, index) => index % once.length)
    const plain = valuesOf(followUpOf(once), deathIs)
    valuesOf(followUpOf(whole, again), deathIs).forEach((value, k) => close(value, plain[k] ?? 0, 1e-9))
  })
}

test('a sample in which every patient counts once gives the figures themselves, and twice the same ones', () => {
  const rows = followUpOf(
    inventFollowUp(150, 5),
    Array.from({ length: 150 }, (_each, row) => row >> 1),
  )
  const horizon = horizonOf(rows, 8, 'none')
  const figures = horizonFigures(horizon)
  for (const times of [1, 2]) {
    const measures = horizonMeasures(horizon, new Uint16Array(75).fill(times))
    close(measures.observed, figures.observed.value)
    close(measures.ratio, figures.ratio.value)
    close(measures.brier, figures.brier.value)
    close(measures.slope, figures.slope.value, 1e-8)
    close(measures.wolbers, figures.concordance.wolbers)
    close(measures.eventFreeArea, figures.area.eventFree)
  }
})

test('on a day with both, an event comes before a censoring', () => {
  // Day 3: the event leaves first, so 3 of the other 4 are not censored, and the event has the whole weight of its day.
  const rows = followUpOf([[3, EVENT, 0.5], [3, CENSORED, 0.2], [6, CENSORED, 0.1], [7, CENSORED, 0.3], [8, EVENT, 0.4]]) // prettier-ignore
  const { atHorizon, remaining } = weighHorizon(horizonOf(rows, 5, 'none'))
  assert.equal(remaining.atHorizon, 3 / 4)
  assert.deepEqual([...atHorizon], [1, 0, 4 / 3, 4 / 3, 4 / 3])
  // The row that was censored that day was at risk of that event, and is a pair with it.
  assert.equal(horizonFigures(horizonOf(rows, 5, 'none')).observed.value, 1 / 5)
  assert.equal(horizonFigures(horizonOf(rows, 5, 'none')).concordance.harrell, 1)
})

/** The day of a row that is censored, and whether it counts as followed beyond day 5. */
const LAST_DAYS = [
  [4, false],
  [5, false],
  [6, true],
] as const
for (const [day, isBeyond] of LAST_DAYS) {
  test(`a row that is censored on day ${day} ${isBeyond ? 'has' : 'has no'} weight on day 5`, () => {
    const rows = followUpOf([[2, EVENT, 0.5], [day, CENSORED, 0.2], [9, CENSORED, 0.1]]) // prettier-ignore
    const { atHorizon } = weighHorizon(horizonOf(rows, 5, 'none'))
    assert.deepEqual([...atHorizon], isBeyond ? [1, 1, 1] : [1, 0, 2])
  })
}

test('an event or a death on the last day counts, a day later it does not', () => {
  const at = (day: number, end: number): object => {
    const { remaining, ...counts } = followedOf(
      horizonOf(followUpOf([[day, end, 0.5], [9, CENSORED, 0.1]]), 5, 'none'), // prettier-ignore
    )
    assert.equal(remaining, 1)
    return counts
  }
  const nothing = { events: 0, diedFirst: 0, censored: 0, followed: 1 }
  assert.deepEqual(at(5, EVENT), { ...nothing, events: 1 })
  assert.deepEqual(at(6, EVENT), { ...nothing, followed: 2 })
  assert.deepEqual(at(5, DIED_FIRST), { ...nothing, diedFirst: 1 })
  assert.deepEqual(at(6, DIED_FIRST), { ...nothing, followed: 2 })
})

test('without an event the share is 0 with an upper limit, and what compares events is not defined', () => {
  const rows = followUpOf(inventFollowUp(60, 3).map(([day, , risk]) => [day + 6, CENSORED, risk]))
  const figures = horizonFigures(horizonOf(rows, 5, 'none'))
  assert.deepEqual([figures.observed.value, figures.ratio.value, figures.observed.from], [0, 0, 0])
  assert.ok(figures.observed.to > 0 && figures.observed.to < 0.1)
  assert.ok(figures.brier.value > 0)
  for (const value of [figures.slope.value, figures.area.value, figures.concordance.wolbers])
    assert.ok(Number.isNaN(value))
})

test('nobody is followed where all are censored, and figures need a tenth that is', () => {
  const followed = (rows: readonly Row[]): boolean =>
    isFollowed(followedOf(horizonOf(followUpOf(rows), 5, 'none')))
  const censored = (count: number, day: number): readonly Row[] =>
    Array.from({ length: count }, () => [day, CENSORED, 0.2])
  assert.equal(followed(censored(20, 3)), false)
  assert.equal(followed(censored(20, 5)), false)
  assert.equal(followed([...censored(91, 3), ...censored(9, 6)]), false)
  assert.equal(followed([...censored(90, 3), ...censored(10, 6)]), true)
  assert.equal(followed([...censored(89, 3), ...censored(11, 6)]), true)
  // Everybody had the event before: nobody is left to compare with.
  assert.equal(followed(Array.from({ length: 20 }, () => [2, EVENT, 0.5])), false)
})
