/** The development profile of a model: faulty profiles and links are refused, drift is measured against it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { Assessor, makePlan, compileModel } from 'patient-risk-engine'
import { ProfileCounter, driftOf } from '../src/drift/profile.ts'
import { DEFINITIONS, MODEL, OPTIONS, faultsOf } from '../../../test/support/example-model.ts'

const PROFILE = {
  data: 'invented',
  rows: 100,
  inputs: {
    age: { cuts: [50, 70], shares: [0.25, 0.25, 0.5], missing: 0 },
    albumin: { cuts: [3], shares: [0.5, 0.5], missing: 0.2 },
  },
  risk: { cuts: [0.1], shares: [0.5, 0.5] },
  flagged: { threshold: 0.15, share: 0.3 },
}

const table = { kind: 'scoreTable', from: 0, risks: [0.1, 0.2] }
const FAULTY: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'knots out of order',
    {
      terms: [
        ...MODEL.terms.slice(1),
        { kind: 'spline', field: 'age', knots: [3, 2, 5], coefficients: [1, 1] },
      ],
    },
    ['/terms/2/knots knots'],
  ],
  [
    'a coefficient too many',
    {
      terms: [
        ...MODEL.terms.slice(1),
        { kind: 'spline', field: 'age', knots: [1, 2, 5], coefficients: [1, 1, 1] },
      ],
    },
    ['/terms/2/coefficients knots'],
  ],
  [
    'absence of a required input',
    { terms: [...MODEL.terms, { kind: 'absent', field: 'age', points: 1 }] },
    ['/terms/3 absence'],
  ],
  [
    'a slope of zero',
    { link: { kind: 'recalibrated', of: { kind: 'logistic', intercept: 0 }, intercept: 0, slope: 0 } },
    ['/link/slope shape'],
  ],
  [
    'a recalibrated table of scores under terms that are not whole',
    { link: { kind: 'recalibrated', of: table, intercept: 0, slope: 1 } },
    ['/terms whole-points'],
  ],
  [
    'a profile of an unknown input',
    { profile: { ...PROFILE, inputs: { weight: { cuts: [], shares: [1], missing: 0 } } } },
    ['/profile/inputs/weight unknown-input'],
  ],
  [
    'a profile with a share too few',
    { profile: { ...PROFILE, risk: { cuts: [0.1, 0.2], shares: [0.5, 0.5] } } },
    ['/profile/risk profile'],
  ],
  [
    'shares that do not add up',
    { profile: { ...PROFILE, risk: { cuts: [0.1], shares: [0.5, 0.4] } } },
    ['/profile/risk profile'],
  ],
]
for (const [name, change, faults] of FAULTY) {
  test(`refused: ${name}`, () => assert.deepEqual([...new Set(faultsOf({ ...MODEL, ...change }))], faults))
}

test('drift is measured against the profile: index, missing, flagged', () => {
  const model: ModelDefinition = { ...MODEL, profile: PROFILE }
  assert.deepEqual(faultsOf(model), [])
  const plan = makePlan(DEFINITIONS, model)
  const assessor = new Assessor(plan, compileModel(model, plan))
  const counter = new ProfileCounter(PROFILE, plan)
  for (const record of [
    { age: 20 },
    { age: 60, albumin: 2 },
    { age: 70, albumin: 4 },
    { age: 999, albumin: 3 },
  ]) {
    counter.add(assessor.slots, assessor.assess({ idx: 1, ...record }, 0, OPTIONS))
  }
  const drift = driftOf(counter)
  assert.equal(drift.records, 4)
  assert.equal(drift.scored, 3)
  const index = (name: string): number => drift.inputs.find((input) => input.name === name)?.index ?? NaN
  const missing = (name: string): number => drift.inputs.find((input) => input.name === name)?.missing ?? NaN
  const part = (now: number, then: number): number => (now - then) * Math.log(now / then)
  assert.ok(Math.abs(index('age') - (2 * part(1 / 3, 0.25) + part(1 / 3, 0.5))) < 1e-12)
  assert.equal(missing('age'), 0.25)
  assert.equal(missing('albumin'), 0.25)
  assert.ok(Math.abs(index('albumin') - (part(1 / 3, 0.5) + part(2 / 3, 0.5))) < 1e-12)
  assert.equal(drift.expectedFlagged, 0.3)
})

test('counts of two counters add up, and a code that development did not have moves the index', () => {
  const inputs = {
    sex: { codes: { F: 0.5, M: 0.5 }, missing: 0 },
    acute: { codes: { true: 0.5, false: 0.5 }, missing: 0 },
  }
  const model: ModelDefinition = {
    ...MODEL,
    inputs: { sex: {}, acute: {} },
    terms: [
      { kind: 'category', field: 'sex', points: { F: 0, M: 1, X: 0.5 } },
      { kind: 'flag', field: 'acute', points: 1 },
    ],
    profile: { ...PROFILE, inputs },
  }
  assert.deepEqual(faultsOf(model), [])
  const plan = makePlan(DEFINITIONS, model)
  const assessor = new Assessor(plan, compileModel(model, plan))
  const counters = [
    ['F', 'M'],
    ['X', 'X'],
  ].map((codes) => {
    const counter = new ProfileCounter({ ...PROFILE, inputs }, plan)
    for (const sex of codes) {
      counter.add(assessor.slots, assessor.assess({ idx: 1, sex, acute: sex !== 'M' }, 0, OPTIONS))
    }
    return counter
  })
  const [first, second] = counters as [ProfileCounter, ProfileCounter]
  assert.ok((driftOf(first).inputs[0]?.index ?? 1) < 1e-3)
  assert.ok(Math.abs(driftOf(first).inputs[1]?.index ?? 1) < 1e-12)
  const { inputs: counted, risk, profile } = first
  const counts = first.counts.map((count, at) => count + (second.counts[at] as number))
  const both = driftOf({ inputs: counted, risk, profile, counts })
  assert.equal(both.records, 4)
  assert.ok((both.inputs[0]?.index ?? 0) > 1)
})
