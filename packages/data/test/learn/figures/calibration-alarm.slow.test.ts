/** The simulations of the calibration alarm in reduced form. `npm run simulate calibration-alarm` runs them in full. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CENTRES,
  type Prevalence,
  TRUTHS,
  alarmsOf,
  etaOfRepeats,
  quantile,
} from '../../../../../test/simulate/calibration-alarm.ts'

const SEED = 41

/** The most alarms among `runs` that a level of 5 % gives in 99.9 % of simulations. */
const mostAt5 = (runs: number): number => 0.05 * runs + 3.1 * Math.sqrt(0.05 * 0.95 * runs)

for (const prevalence of Object.keys(CENTRES) as Prevalence[]) {
  test(`false alarms in ten years of daily looks stay within 5 % at ${prevalence}`, () => {
    const runs = 200
    const found = alarmsOf({ prevalence, perMonth: 100, months: 120 }, runs, SEED).length
    assert.ok(found <= mostAt5(runs), `${found} of ${runs}`)
  })
}

test('a risk that is wrong by 1.3 × is found within about 2,000 outcomes at 15 %', () => {
  const truth = TRUTHS['risk × 1.3']?.(CENTRES['15 %'])
  assert.ok(truth)
  const found = alarmsOf({ prevalence: '15 %', perMonth: 200, months: 120, truth }, 200, SEED)
  assert.equal(found.length, 200)
  assert.ok(
    quantile(found, 0.5) < 1_300 && quantile(found, 0.9) < 2_200,
    `${quantile(found, 0.5)}, ${quantile(found, 0.9)}`,
  )
})

test('patients who come back break the level with an exponent of 1, and keep it with their own', () => {
  const feed = { prevalence: '15 %', perMonth: 100, months: 120, rowsOfPatient: 3 } as const
  const runs = 200
  const plain = alarmsOf({ ...feed, eta: 1 }, runs, SEED).length
  const own = alarmsOf({ ...feed, eta: etaOfRepeats('15 %', 3) }, runs, SEED).length
  assert.ok(plain > mostAt5(runs), `${plain} of ${runs}`)
  assert.ok(own <= mostAt5(runs), `${own} of ${runs}`)
})
