/** The calibration alarm: its factors have mean 1 under right risks, months add up, and the limits are those of the method. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CalibrationDetector,
  type RiskBin,
  alarmLimits,
  allKnown,
  centreOf,
  etaOf,
  randomFrom,
} from '@patient-risk/statistics'

const detector = (limit = 2_400, eta = 1): CalibrationDetector =>
  new CalibrationDetector({ limit, eta, centre: -2 })
const bin = (risk: number, isEvent: boolean): RiskBin => ({
  risk,
  events: isEvent ? 1 : 0,
  others: isEvent ? 0 : 1,
})
const evidenceOf = (bins: readonly RiskBin[], eta = 1): number =>
  detector(2_400, eta).addMonth(allKnown(bins))

test('one outcome: the mean evidence under a right risk is 1, and below 1 with an exponent below 1', () => {
  for (const risk of [0.0001, 0.01, 0.15, 0.5, 0.9, 0.9999]) {
    const mean = (eta: number): number =>
      risk * evidenceOf([bin(risk, true)], eta) + (1 - risk) * evidenceOf([bin(risk, false)], eta)
    assert.ok(Math.abs(mean(1) - 1) < 1e-12, `${risk}: ${mean(1)}`)
    assert.ok(mean(0.5) <= 1 + 1e-12, `${risk}: ${mean(0.5)}`)
  }
})

test('a known month gives the number that the formulas give', () => {
  // Two events and one other at 0.2: computed by hand from the eleven alternatives.
  const p = 0.2
  const centre = -2
  const shifts = [-0.8, -0.5, -0.3, -0.15, 0.15, 0.3, 0.5, 0.8].map((t) => [t, 0.1] as const)
  const slopes = [0.5, 0.75, 1.33].map((s) => [(s - 1) * (Math.log(0.25) - centre), 0.2 / 3] as const)
  const expected = [...shifts, ...slopes].reduce((sum, [t, weight]) => {
    return sum + weight * (Math.exp(2 * t) / (1 + p * (Math.exp(t) - 1)) ** 3)
  }, 0)
  assert.ok(Math.abs(evidenceOf([{ risk: p, events: 2, others: 1 }]) - expected) < 1e-12)
})

test('parts of a month add up in any order, and a bin shrinks the evidence', () => {
  const random = randomFrom(3)
  const rows = Array.from({ length: 400 }, () => bin(0.01 + 0.4 * random(), random() < 0.3))
  const whole = evidenceOf(rows)
  const parts = detector()
  parts.beginMonth()
  for (const row of rows.toReversed()) parts.add(allKnown([row]))
  assert.ok(Math.abs(parts.evidence / whole - 1) < 1e-9)
})

test('risks that are right raise no alarm here, and risks × 1.5 do, also after three good years', () => {
  const random = randomFrom(5)
  const month = (times: number): readonly RiskBin[] =>
    Array.from({ length: 200 }, () => {
      const risk = 0.05 + 0.2 * random()
      return bin(risk, random() < times * risk)
    })
  const watched = detector()
  for (let each = 0; each < 36; each++) watched.addMonth(allKnown(month(1)))
  assert.equal(watched.isAlarm, false)
  for (let each = 0; each < 6; each++) watched.addMonth(allKnown(month(1.5)))
  assert.equal(watched.isAlarm, true)
})

test('the limits share the level between the whole and its groups', () => {
  assert.deepEqual(alarmLimits(0), { whole: 2_400, group: Infinity })
  assert.deepEqual(alarmLimits(1), { whole: 4_800, group: 4_800 })
  assert.deepEqual(alarmLimits(50), { whole: 4_800, group: 240_000 })
})

test('the centre is the mean log odds; the exponent is 1 without repeats, and small for rows that agree', () => {
  assert.ok(
    Math.abs(centreOf(allKnown([bin(0.5, true), { risk: 0.2, events: 1, others: 2 }])) + 1.0397207708) < 1e-9,
  )
  const risks = new Float64Array(400).fill(0.3)
  const outcomes = Uint8Array.from(risks, (_risk, row) => (row % 40 < 12 ? 1 : 0))
  const alone = Int32Array.from(risks.keys())
  assert.equal(etaOf({ risks, outcomes, clusters: alone }), 1)
  // Four rows of a patient that always have the same outcome: as much as one row.
  const repeated = Int32Array.from(risks, (_risk, row) => Math.floor(row / 4))
  assert.ok(Math.abs(etaOf({ risks, outcomes, clusters: repeated }) - 0.25) < 1e-9)
})
