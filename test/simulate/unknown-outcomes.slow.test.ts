/** The simulations of unknown outcomes in reduced form. `npm run simulate unknown-outcomes` runs them in full. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OTHER_SITUATIONS, SITUATIONS, TWICE_AND_MISSING, missing } from './outcome-senders.ts'
import { MIXES, alarmsOfSenders, alarmsOfUnknown } from './unknown-outcomes.ts'

const RUNS = 20
/** The most alarms that a level of 5 % gives in 99.99 % of simulations of so many runs; none was seen in most of them. */
const MOST = 6

const situations = { ...SITUATIONS, ...OTHER_SITUATIONS, ...TWICE_AND_MISSING }
const alarms = alarmsOfSenders({ prevalence: '15 %', perMonth: 200 }, Object.values(situations), RUNS)
for (const [at, name] of Object.keys(situations).entries()) {
  test(`right risks raise at most ${MOST} alarms in ${RUNS} runs of ten years, outcomes: ${name}`, () => {
    const found = alarms[at] ?? []
    assert.ok(found.length <= MOST, `${found.length} of ${RUNS}`)
  })
}

for (const [name, mix] of Object.entries(MIXES)) {
  test(`right risks raise no alarm: ${name}`, () => {
    const senders = [SITUATIONS.complete, SITUATIONS['events only']]
    const found = alarmsOfSenders({ prevalence: '15 %', perMonth: 200, months: 24, mix }, senders, 3)
    assert.deepEqual(found, [[], []])
  })
}

test('a season of 0.15 is found, and accepted with a tolerance of 0.15', () => {
  const feed = { prevalence: '30 %', perMonth: 2_000, months: 36, sender: missing(0), season: 0.15 } as const
  assert.equal(alarmsOfUnknown(feed, 2).length, 2)
  assert.equal(alarmsOfUnknown({ ...feed, tolerance: 0.15 }, 2).length, 0)
})
