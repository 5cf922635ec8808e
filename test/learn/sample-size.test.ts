/** How many patients a model needs: `learn plan` against published figures and formulas. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planSample } from '../../src/learn/fit/sample-size.ts'

test('the sample size: figures published for pmsampsize and in BMJ 2020;368:m441', () => {
  const { criteria, patients, events } = planSample(0.174, 24, 0.288)
  assert.deepEqual(
    criteria.map((each) => each.patients),
    [623, 662, 221],
  )
  assert.deepEqual([patients, events], [662, 116])
  assert.equal(planSample(0.05, 30, 0.05).patients, 5249)
  assert.throws(() => planSample(0.05, 3, 0.4), /cannot be reached/)
})

test('the three criteria are those that pmsampsize computes for a binary outcome', () => {
  for (const prevalence of [0.01, 0.05, 0.11, 0.3, 0.5]) {
    const highest = 1 - (prevalence ** prevalence * (1 - prevalence) ** (1 - prevalence)) ** 2
    for (const share of [0.05, 0.15, 0.4]) {
      for (const parameters of [1, 6, 30]) {
        const rSquared = share * highest
        const sizeFor = (shrinkage: number): number =>
          Math.ceil(parameters / ((shrinkage - 1) * Math.log(1 - rSquared / shrinkage)))
        const wanted = [
          sizeFor(0.9),
          sizeFor(rSquared / (rSquared + 0.05 * highest)),
          Math.ceil((1.96 / 0.05) ** 2 * prevalence * (1 - prevalence)),
        ]
        const { criteria, patients } = planSample(prevalence, parameters, rSquared)
        assert.deepEqual(
          [...criteria.map((each) => each.patients), patients],
          [...wanted, Math.max(...wanted)],
        )
      }
    }
  }
})

test('without an expected R², 15 % of its maximum is taken', () => {
  const { rSquared, maximumRSquared } = planSample(0.5, 10)
  assert.ok(Math.abs(maximumRSquared - 0.75) < 1e-12)
  assert.ok(Math.abs(rSquared - 0.1125) < 1e-12)
})
