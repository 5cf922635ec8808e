/** The simulations of unknown outcomes in reduced form. `npm run simulate unknown-outcomes` runs them in full. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOT_SEEN, OTHER_SITUATIONS, SITUATIONS, alarmsOfUnknown, missing } from './unknown-outcomes.ts'

const RUNS = 30
/** The most alarms that a level of 5 % gives in 99.99 % of simulations of so many runs; none was seen in most of them. */
const MOST = 7

for (const [name, sender] of Object.entries({ ...SITUATIONS, ...OTHER_SITUATIONS })) {
  test(`right risks raise at most ${MOST} alarms in ${RUNS} runs of ten years, outcomes: ${name}`, () => {
    const found = alarmsOfUnknown({ prevalence: '15 %', perMonth: 200, sender }, RUNS)
    assert.ok(found.length <= MOST, `${found.length} of ${RUNS}`)
  })
}

test('a season of 0.15 is found, and accepted with a tolerance of 0.15', () => {
  const feed = { prevalence: '30 %', perMonth: 2_000, months: 36, sender: missing(0), season: 0.15 } as const
  assert.equal(alarmsOfUnknown(feed, 2).length, 2)
  assert.equal(alarmsOfUnknown({ ...feed, tolerance: 0.15 }, 2).length, 0)
})

test('what counts cannot see: events sent twice while others are missing raise alarms', () => {
  for (const sender of Object.values(NOT_SEEN)) {
    const found = alarmsOfUnknown({ prevalence: '5 %', perMonth: 200, sender }, 10)
    assert.ok(found.length >= 2, `${found.length} of 10`)
  }
})
