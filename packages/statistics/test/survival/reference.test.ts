/** The figures of stored rows equal those of two other programs: own code in R, and survival, riskRegression, pec, prodlim and glm. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CENSORED,
  DIED_FIRST,
  EVENT,
  type DeathIs,
  followedOf,
  horizonFigures,
  horizonGroups,
  horizonOf,
  weighHorizon,
} from '@patient-risk/statistics'
import { followUpOf, storedRows } from '../../../../test/support/follow-up.ts'

const HORIZON = 365
const WITHIN = 1e-9

const rows = followUpOf(storedRows)
const figuresIf = (deathIs: DeathIs) => horizonFigures(horizonOf(rows, HORIZON, deathIs))
const none = figuresIf('none')
const censored = figuresIf('censored')
const event = figuresIf('event')
/** Death is what the same rows end with: the share that dies first. */
const swapped = rows.ends.map((end) => ([CENSORED, DIED_FIRST, EVENT] as const)[end] ?? CENSORED)
const died = horizonFigures(horizonOf({ ...rows, ends: swapped }, HORIZON, 'none'))
const remainingBy = (day: number): number => weighHorizon(horizonOf(rows, day, 'none')).remaining.atHorizon

const FIGURES: readonly (readonly [name: string, found: number, expected: number])[] = [
  ['mean risk', none.meanRisk, 0.2430636667],
  ['Aalen–Johansen', none.observed.value, 0.226335832],
  ['Aalen–Johansen, error', none.observed.error, 0.0255238309],
  ['died first', died.observed.value, 0.1076389338],
  ['one minus Kaplan–Meier', censored.observed.value, 0.2420131067],
  ["one minus Kaplan–Meier, Greenwood's error", censored.observed.error, 0.0272176195],
  ['composite', event.observed.value, 0.3339747658],
  ['composite, error', event.observed.error, 0.0288097289],
  ['O/E, Aalen–Johansen', none.ratio.value, 0.9311792056],
  ['O/E, Aalen–Johansen, from', none.ratio.from, 0.7465235282],
  ['O/E, Aalen–Johansen, to', none.ratio.to, 1.1615102272],
  ['O/E, Kaplan–Meier', censored.ratio.value, 0.9956778405],
  ['O/E, composite', event.ratio.value, 1.374021755],
  ['not censored by day 100', remainingBy(100), 0.9813662876],
  ['not censored by day 200', remainingBy(200), 0.8898096731],
  ['not censored by day 365', remainingBy(HORIZON), 0.7757463834],
  ['Brier', none.brier.value, 0.159611988],
  ['Brier of the constant', none.brier.constant, 0.1751079232],
  ['Brier, composite', event.brier.value, 0.2106134053],
  ['Brier of the constant, composite', event.brier.constant, 0.2224356216],
  ['area, died first is a control', none.area.value, 0.6874398446],
  ['area, event-free controls', none.area.eventFree, 0.7011908595],
  ['area, composite', event.area.value, 0.6810160942],
  ['c of Wolbers', none.concordance.wolbers, 0.663053165],
  ['c of Harrell, death as censoring', censored.concordance.harrell, 0.6720923762],
  ['c of Uno, death as censoring', censored.concordance.uno, 0.6683732299],
  ['c of Harrell, composite', event.concordance.harrell, 0.6449520456],
  ['c of Uno, composite', event.concordance.uno, 0.6445540112],
  ['in the large', none.inTheLarge.value, -0.0806057683],
  ['in the large, robust error', none.inTheLarge.error, 0.1540530061],
  ['slope', none.slope.value, 0.9566277386],
  ['slope, robust error', none.slope.error, 0.2372408246],
  ['intercept', none.intercept.value, -0.124799573],
]
for (const [name, found, expected] of FIGURES) {
  test(`${name} is ${expected}`, () => {
    assert.ok(Math.abs(found - expected) < WITHIN, String(found))
  })
}

test('the stored rows are counted by the horizon', () => {
  const { remaining, ...counts } = followedOf(horizonOf(rows, HORIZON, 'none'))
  assert.deepEqual(counts, { events: 62, diedFirst: 30, censored: 53, followed: 155 })
  assert.ok(remaining > 0.77)
})

const GROUPS = [
  [0.0923416667, 0.1239238277, 0.0440499944, 0.1260242315, 7, 2],
  [0.150335, 0.1633044485, 0.0499775874, 0.1800268032, 9, 7],
  [0.2138633333, 0.1299606279, 0.0462215889, 0.1413635077, 7, 7],
  [0.3219183333, 0.2627203015, 0.0611399696, 0.2872177966, 14, 8],
  [0.43686, 0.4573899279, 0.0688689196, 0.4958642459, 25, 6],
] as const
test('five groups of 60 by risk: mean risk, share with its error, events and deaths', () => {
  const groups = horizonGroups(rows, HORIZON, 'none')
  const kaplanMeier = horizonGroups(rows, HORIZON, 'censored')
  assert.equal(groups.length, GROUPS.length)
  GROUPS.forEach(([meanRisk, share, error, whole, events, deaths], k) => {
    const group = groups[k]
    assert.ok(group !== undefined)
    assert.deepEqual([group.rows, group.events, group.diedFirst], [60, events, deaths])
    const found = [group.meanRisk, group.observed.value, group.observed.error, kaplanMeier[k]?.observed.value]
    const expected = [meanRisk, share, error, whole]
    expected.forEach((value, at) => assert.ok(Math.abs((found[at] ?? Number.NaN) - value) < WITHIN))
  })
})

/** What a file without times gives: censored coded as no event, or left out. Both are wrong. */
test('coding the censored as no event says 0.85, leaving them out 1.03', () => {
  const isEvent = ([day, end]: readonly number[]): boolean => end === EVENT && (day ?? 0) <= HORIZON
  const ratioOf = (some: typeof storedRows): number =>
    some.filter(isEvent).length / some.reduce((sum, [, , risk]) => sum + risk, 0)
  const known = storedRows.filter(([day, end]) => day > HORIZON || end !== CENSORED)
  assert.ok(Math.abs(ratioOf(storedRows) - 0.85025734) < WITHIN)
  assert.ok(Math.abs(ratioOf(known) - 1.0329115611) < WITHIN)
})
