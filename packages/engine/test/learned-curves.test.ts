/** What fitted models add to the format: curves, points for absence, recalibrated links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from '../src/definition/model.ts'
import { splineAt } from '../src/definition/curve.ts'
import { MODEL, faultsOf, riskOf } from '../../../test/support/example-model.ts'

test('the example is valid', () => assert.deepEqual(faultsOf(MODEL), []))

/** By hand, from the definition of a restricted cubic spline with knots 0, 1, 2 and coefficients 0 and 1. */
const SPLINE_VALUES = [
  [-1, 0],
  [0, 0],
  [0.5, 0.125 / 4],
  [1, 1 / 4],
  [2, (8 - 2) / 4],
  [3, (27 - 8 * 2 + 1) / 4],
  [4, (64 - 27 * 2 + 8) / 4],
] as const
for (const [reading, value] of SPLINE_VALUES) {
  test(`the cubic part at ${reading} is ${value}`, () => {
    assert.ok(Math.abs(splineAt([0, 1, 2], [0, 1], reading) - value) < 1e-12)
  })
}

test('after its last knot a spline is straight', () => {
  const at = (reading: number): number => splineAt([0, 1, 3, 4], [0.3, -2, 5], reading)
  assert.ok(Math.abs(at(6) - at(5) - (at(5) - at(4))) < 1e-9)
})

test('absence takes the stated value and its own points', () => {
  const logit = -1 + splineAt([30, 50, 70, 90], [0.02, -0.01, 0.05], 75) - 0.4 * 3.5
  const expit = (value: number): number => 1 / (1 + Math.exp(-value))
  assert.ok(Math.abs(riskOf(MODEL, { age: 75, albumin: 3.5 }) - expit(logit)) < 1e-12)
  assert.ok(Math.abs(riskOf(MODEL, { age: 75 }) - expit(logit + 0.3)) < 1e-12)
})

test('a recalibrated link stretches and shifts the log odds of the original', () => {
  const recalibrated: ModelDefinition = {
    ...MODEL,
    link: { kind: 'recalibrated', of: { kind: 'logistic', intercept: -1 }, intercept: 0.2, slope: 0.8 },
  }
  assert.deepEqual(faultsOf(recalibrated), [])
  const logit = (risk: number): number => Math.log(risk / (1 - risk))
  const before = logit(riskOf(MODEL, { age: 75, albumin: 3 }))
  assert.ok(Math.abs(logit(riskOf(recalibrated, { age: 75, albumin: 3 })) - (0.2 + 0.8 * before)) < 1e-12)
})
