/** The simulations of the unit watch and of the drift alarm in reduced form: their false-alarm rates, and how soon they notice. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driftRuns } from './drift.ts'
import { detection, falseAlarms, simulate } from './units.ts'

test('a feed that changes its unit is noticed within 200 records, at means of 12 to 14 g/dL', () => {
  for (const { mean, changed } of detection([12, 13, 14], 100)) {
    assert.ok((changed[0] ?? 0) > 0, `at ${mean} there was an alarm before the change`)
    assert.ok((changed.at(-1) ?? Infinity) <= 200, `at ${mean} one feed took ${changed.at(-1)} records`)
  }
})

test('on a fresh service values around 8.8 mmol/L are noticed', () => {
  const [run] = detection([14.2], 50)
  assert.ok((run?.fresh.at(-1) ?? Infinity) < 3_000)
})

test('no feed with the right unit has an alarm in 20 years; near the cut some do, below it all', () => {
  for (const mean of [13, 12, 10.5, 9.8]) assert.equal(falseAlarms(mean, false, 15), 0, `at ${mean}`)
  assert.equal(falseAlarms(9, false, 15), 15)
  assert.equal(falseAlarms(9, true, 15), 0, 'with a confirmed unit')
})

test('drift: none without a shift or with a small one, soon with a large one', () => {
  const alarms = (shift: number): number =>
    driftRuns(shift, 10).filter(({ records }) => records < Infinity).length
  assert.deepEqual([0, 0.245, 0.73].map(alarms), [0, 0, 10])
})

test('the tables of the documentation', async () => {
  const [first, second] = await simulate({ reduced: true })
  assert.equal(first?.rows.length, 6)
  assert.equal(second?.rows.length, 8)
})
