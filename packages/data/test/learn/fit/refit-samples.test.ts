/** Every way to recalibrate follows the sample: a patient who was drawn twice counts as two rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_SEED, randomFrom } from '@patient-risk/statistics'
import { candidatesFor } from '../../../src/learn/fit/recalibrate-candidates.ts'

const PATIENTS = 200
const TERMS = 2
const random = randomFrom(DEFAULT_SEED)
const points = Array.from({ length: PATIENTS }, () => [2 * random() - 1, 2 * random() - 1] as const)
const risks = points.map(([one, other]) => 1 / (1 + Math.exp(1 - one - other)))
const outcomes = risks.map((risk) => (random() < risk ? 1 : 0))
const times = points.map((_own, patient) => patient % 3)

function candidatesOf(patients: readonly number[]) {
  const predictions = {
    risks: Float64Array.from(patients, (patient) => risks[patient] ?? 0),
    outcomes: Uint8Array.from(patients, (patient) => outcomes[patient] ?? 0),
    clusters: Int32Array.from(patients),
  }
  const model = { link: { kind: 'logistic' }, terms: [] } as unknown as Parameters<typeof candidatesFor>[0]
  const all = Float64Array.from(patients.flatMap((patient) => [...(points[patient] ?? [])]))
  return candidatesFor(model, predictions, all, TERMS)
}

const patients = [...points.keys()]
const copies = patients.flatMap((patient) => new Array<number>(times[patient] ?? 0).fill(patient))

for (const method of ['intercept', 'slope', 'refit'] as const) {
  test(`${method}: a sample has the coefficients of its rows`, () => {
    const { coefficients } = candidatesOf(patients).fitOf(method, times)
    const { coefficients: wanted } = candidatesOf(copies).fitOf(method)
    assert.equal(coefficients.length, wanted.length)
    for (const [at, value] of wanted.entries())
      assert.ok(Math.abs((coefficients[at] ?? 0) - value) < 1e-6, `${at}: ${coefficients[at]}, ${value}`)
  })
}
