/** Contributions against the typical patient, and sampling intervals. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { Explanation } from '../../src/explain/explain.ts'
import { createScorer } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { OPTIONS, TODAY, model, scorerOf } from '../../../../test/support/small-definitions.ts'

const catalog = testCatalog()
const found = findModel(catalog, 'readmission30') ?? assert.fail()
const scorer = createScorer(catalog.definitions, found.definition, OPTIONS)

function explained(record: object, own = scorer): Explanation {
  const { explanation } = own.restsOn(own.assess({ idx: 1, ...record }, TODAY), TODAY)
  assert.ok(explanation, JSON.stringify(record))
  return explanation
}

test('contributions are one for each input, ordered by size, and add up to the difference of the scores', () => {
  const random = new Random(3)
  const { reference } = explained({
    age: 65,
    sex: 'F',
    inpatientAdmissions: 0,
    emergencyAdmissions: 0,
    stayDays: 4,
  })
  assert.ok(reference)
  const typical = explained(reference.values)
  assert.equal(typical.probability, reference.risk)
  assert.ok(typical.contributions?.every(({ points }) => points === 0))
  for (let i = 0; i < 500; i++) {
    const { contributions, score } = explained({
      age: 18 + random.below(93),
      sex: random.pick(['F', 'M', 'X']),
      inpatientAdmissions: random.below(10),
      emergencyAdmissions: random.below(10),
      stayDays: random.below(40),
    })
    assert.ok(contributions)
    assert.deepEqual(contributions.flatMap(({ fields }) => fields).sort(), [
      'age',
      'emergencyAdmissions',
      'inpatientAdmissions',
      'sex',
      'stayDays',
    ])
    const sizes = contributions.map(({ points }) => Math.abs(points))
    assert.deepEqual(
      sizes,
      [...sizes].sort((a, b) => b - a),
    )
    const sum = contributions.reduce((all, { points }) => all + points, 0)
    assert.ok(Math.abs(sum - (score - typical.score)) < 1e-5)
  }
})

const number = { type: 'decimal', from: 0, to: 9, meaning: 'a number' } as const
const seen = (p50: number): object => ({ cuts: [], shares: [1], missing: 0, p01: 0, p50, p99: 9 })
const PRODUCT = model({ a: {}, b: {} }, [
  {
    kind: 'product',
    label: 'a × b',
    factors: [
      { kind: 'linear', field: 'a', coefficient: 1 },
      { kind: 'linear', field: 'b', coefficient: 1 },
    ],
    coefficient: 0.1,
  },
])

test('a product is shared by Shapley values', () => {
  const profile = {
    data: 'a test',
    rows: 10,
    inputs: { a: seen(1), b: seen(2) },
    risk: { cuts: [], shares: [1] },
  } as ModelDefinition['profile']
  const own = scorerOf({
    fields: { a: number, b: number },
    model: { ...PRODUCT, profile } as ModelDefinition,
  })
  // From 1 × 2 to 4 × 5: a first 6 and then b 12, or b first 3 and then a 15; each input gets the mean of its two.
  assert.deepEqual(explained({ a: 4, b: 5 }, own).contributions, [
    { fields: ['a'], label: 'a', points: 1.05 },
    { fields: ['b'], label: 'b', points: 0.75 },
  ])
  assert.deepEqual(
    explained({ a: 4, b: 5 }, scorerOf({ fields: { a: number, b: number }, model: PRODUCT })).contributions,
    null,
  )
})

test('the interval of a fitted model is that of its log odds, whatever the record', () => {
  const covariance = [[0.04], [-0.01, 0.01]]
  const terms = [{ kind: 'linear' as const, field: 'a', coefficient: 0.5 }]
  const columns = [{ kind: 'linear' as const, field: 'a', coefficient: 1 }]
  const link = { kind: 'logistic' as const, intercept: -2 }
  const own = scorerOf({
    fields: { a: number },
    model: model({ a: {} }, terms, { link, estimates: { columns, covariance } }),
  })
  for (const a of [0, 1, 3, 9]) {
    const half = 1.959963984540054 * Math.sqrt(0.04 - 2 * 0.01 * a + 0.01 * a * a)
    const [low, high] = [-half, half].map((each) => 1 / (1 + Math.exp(2 - 0.5 * a - each)))
    const sampling = explained({ a }, own).sampling
    assert.ok(sampling && low !== undefined && high !== undefined)
    assert.equal(sampling.from, 'coefficients')
    assert.ok(Math.abs(sampling.low - low) <= 0.00005 && Math.abs(sampling.high - high) <= 0.00005, String(a))
  }
})

test('the interval of a stratum is that of its counts by Wilson', () => {
  const strata = [
    { from: 0, to: 4, risk: 0.1, events: 10, of: 100 },
    { from: 5, to: 9, risk: 0.5 },
  ]
  const terms = [{ kind: 'linear' as const, field: 'a', coefficient: 1 }]
  const integer = { type: 'integer', from: 0, to: 9, meaning: 'a' } as const
  const own = scorerOf({
    fields: { a: integer },
    model: model({ a: {} }, terms, { link: { kind: 'strata', strata } }),
  })
  // 10 of 100: 0.0552 to 0.1744.
  assert.deepEqual(explained({ a: 2 }, own).sampling, {
    low: 0.0552,
    high: 0.1744,
    level: 0.95,
    from: 'stratum',
  })
  assert.equal(explained({ a: 7 }, own).sampling, null)
})

test('a term with very many inputs is not explained: its subsets could not be tried in time', () => {
  const explainedWith = (count: number): Explanation => {
    const names = Array.from({ length: count }, (_, at) => `f${at}`)
    const term = {
      kind: 'count' as const,
      below: Object.fromEntries(names.map((name) => [name, 3])),
      bands: [
        { to: 1, points: 0 },
        { from: 2, points: 1 },
      ],
    }
    const inputs = Object.fromEntries(names.map((name) => [name, seen(5)]))
    const profile = {
      data: 'a test',
      rows: 10,
      inputs,
      risk: { cuts: [], shares: [1] },
    } as ModelDefinition['profile']
    const fields = Object.fromEntries(names.map((name) => [name, number]))
    const own = model(Object.fromEntries(names.map((name) => [name, {}])), [term])
    const record = Object.fromEntries(names.map((name) => [name, 1]))
    return explained(record, scorerOf({ fields, model: { ...own, profile } as ModelDefinition }))
  }
  // 2^14 subsets stay within the steps of a record, 2^15 do not.
  for (const count of [12, 13, 14]) assert.equal(explainedWith(count).contributions?.length, count)
  const { contributions, reference } = explainedWith(15)
  assert.equal(contributions, null)
  assert.equal(Object.keys(reference?.values ?? {}).length, 15)
})
