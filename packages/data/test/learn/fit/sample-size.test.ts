/** How many patients a model needs: `learn plan` against published figures and formulas. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { planSample, refuseSmallSample } from '../../../src/learn/fit/sample-size.ts'

/** Prevalence, parameters, R², and the patients by criterion; the first three are those of pmsampsize 1.1.3. */
const PUBLISHED = [
  [0.05, 30, 0.05, [5249, 1770, 73, 544]],
  [0.174, 24, 0.288, [623, 662, 221, 801]],
  [0.5, 10, 0.3, [247, 219, 385, 588]],
  // The mean error depends on the rarer outcome.
  [0.826, 24, 0.288, [623, 662, 221, 801]],
] as const
for (const [prevalence, parameters, rSquared, wanted] of PUBLISHED) {
  test(`the sample size for a prevalence of ${prevalence}, ${parameters} parameters and an R² of ${rSquared}`, () => {
    const { criteria, patients, events } = planSample(prevalence, parameters, rSquared)
    assert.deepEqual(
      criteria.map((each) => each.patients),
      wanted,
    )
    assert.deepEqual([patients, events], [Math.max(...wanted), Math.ceil(Math.max(...wanted) * prevalence)])
  })
}

test('an R² that cannot be reached is refused', () => {
  assert.throws(() => planSample(0.05, 3, 0.4), /cannot be reached/)
})

/** At least 20 in all, and 3 for each estimate: 21 for seven. The outcome may be the rarer one, or its absence. */
const RARER = [
  [0, 19, true],
  [0, 20, false],
  [0, 21, false],
  [7, 20, true],
  [7, 21, false],
  [7, 22, false],
] as const
for (const [estimates, rarer, isRefused] of RARER) {
  test(`${rarer} rows of the rarer outcome for ${estimates} estimates are ${isRefused ? 'refused' : 'enough'}`, () => {
    for (const events of [rarer, 100 - rarer]) {
      const outcomes = Uint8Array.from({ length: 100 }, (_row, place) => (place < events ? 1 : 0))
      const labels = { outcomes, clusters: Int32Array.from(outcomes.keys()) }
      const check = (): void => refuseSmallSample('a.csv', labels, estimates)
      if (isRefused) assert.throws(check, /collect more data/)
      else check()
    }
  })
}

for (const [parameters, isWarned] of [
  ['30', false],
  ['31', true],
] as const) {
  test(`${parameters} parameters: ${isWarned ? 'a warning' : 'no warning'}`, () => {
    const args = ['bin/patient-risk.js', 'learn', 'plan', '--prevalence', '0.1', '--parameters', parameters]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(status, 0)
    assert.equal(stderr.includes('studied for at most 30 parameters'), isWarned)
  })
}

test('the first three criteria are those that pmsampsize computes for a binary outcome', () => {
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
        const { criteria } = planSample(prevalence, parameters, rSquared)
        assert.deepEqual(
          criteria.slice(0, 3).map((each) => each.patients),
          wanted,
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
