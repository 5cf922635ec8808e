/** What fitted models add to the format: curves, interactions, absence, recalibration, and the development profile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkModel } from '../../src/definition/check/check-model.ts'
import { type Domain, fieldDomain } from '../../src/definition/domain.ts'
import { FaultList } from '../../src/definition/fault.ts'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { splineAt, splinePeaks } from '../../src/definition/spline.ts'
import { Assessor } from '../../src/engine/assess.ts'
import { driftOf } from '../../src/engine/score/drift.ts'
import { compileModel } from '../../src/engine/score/model.ts'
import { makePlan } from '../../src/engine/plan.ts'
import { ProfileCounter } from '../../src/engine/score/profile.ts'
import { type ScorerOptions, createScorer } from '../../src/engine/scorer.ts'

const FIELDS = new Map<string, FieldDefinition>([
  ['age', { type: 'integer', from: 0, to: 120, meaning: 'Age.' }],
  ['sex', { type: 'code', values: { F: 'female', M: 'male', X: 'other' }, meaning: 'Sex.' }],
  ['albumin', { type: 'decimal', from: 0.5, to: 8, meaning: 'Albumin.' }],
  ['acute', { type: 'yesNo', meaning: 'Acute.' }],
])
const KNOWLEDGE = { fields: FIELDS, scales: [] }
const DOMAINS = new Map<string, Domain>([...FIELDS].map(([name, field]) => [name, fieldDomain(field)]))
const SCORER: ScorerOptions = {
  output: { kind: 'number' },
  reportUnknown: false,
  maxRecords: 1_000,
  maxDepth: 8,
  maxKeys: 1_024,
  maxLineBytes: 1_000_000,
}
const OPTIONS = { today: 20260101, reportUnknown: false, maxKeys: 1024 }

const MODEL: ModelDefinition = {
  id: 'example',
  version: '1.0.0',
  title: 'Example',
  card: {
    summary: 's',
    intendedUse: 'i',
    users: 'u',
    population: 'p',
    setting: 's',
    outcome: 'o',
    horizonDays: 30,
    missingData: 'm',
    development: 'd',
    discrimination: [{ data: 'd' }],
    calibration: 'c',
    limits: ['l'],
  },
  inputs: { age: { from: 18 }, albumin: { whenAbsent: 3.5, why: 'the usual value' } },
  terms: [
    { kind: 'spline', field: 'age', knots: [30, 50, 70, 90], coefficients: [0.02, -0.01, 0.05] },
    { kind: 'linear', field: 'albumin', coefficient: -0.4 },
    { kind: 'absent', field: 'albumin', points: 0.3 },
  ],
  link: { kind: 'logistic', intercept: -1 },
  source: { cite: 'none' },
  licence: { status: 'none', shipped: 'none' },
}

function faultsOf(model: unknown): readonly string[] {
  const faults = new FaultList('model')
  checkModel(model, { domains: DOMAINS, scales: new Map() }, faults)
  return faults.faults.map(({ path, rule }) => `${path} ${rule}`)
}

function riskOf(model: ModelDefinition, record: object): number {
  const plan = makePlan(KNOWLEDGE, model)
  const compiled = compileModel(model, plan)
  const outcome = new Assessor(plan, compiled).assess({ idx: 1, ...record }, 0, OPTIONS)
  return compiled.probability(outcome.score)
}

test('the example is sound', () => assert.deepEqual(faultsOf(MODEL), []))

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

test('no reading lies outside the peaks of a spline', () => {
  const coefficient = fc.double({ min: -3, max: 3, noNaN: true })
  fc.assert(
    fc.property(fc.tuple(coefficient, coefficient, coefficient), (coefficients) => {
      const knots = [2, 3, 7, 9]
      const peaks = splinePeaks({ kind: 'spline', field: 'x', knots, coefficients }, [0, 12])
      for (let reading = 0; reading <= 12; reading += 0.05) {
        const value = splineAt(knots, coefficients, reading)
        assert.ok(value >= Math.min(...peaks) - 1e-6 && value <= Math.max(...peaks) + 1e-6)
      }
    }),
  )
})

test('absence takes the stated value and its own points', () => {
  const logit = -1 + splineAt([30, 50, 70, 90], [0.02, -0.01, 0.05], 75) - 0.4 * 3.5
  const expit = (value: number): number => 1 / (1 + Math.exp(-value))
  assert.ok(Math.abs(riskOf(MODEL, { age: 75, albumin: 3.5 }) - expit(logit)) < 1e-12)
  assert.ok(Math.abs(riskOf(MODEL, { age: 75 }) - expit(logit + 0.3)) < 1e-12)
})

/** Age in decades for women and for people whose albumin is absent, beside a whole-number model of two flags. */
const INTERACTIONS: ModelDefinition = {
  ...MODEL,
  inputs: { ...MODEL.inputs, sex: {}, acute: {} },
  terms: [
    { kind: 'linear', field: 'albumin', coefficient: -0.4 },
    {
      kind: 'product',
      coefficient: 0.12,
      factors: [
        { kind: 'linear', field: 'age', per: 10, coefficient: 1 },
        { kind: 'category', field: 'sex', points: { F: 1, M: 0, X: 0.5 } },
      ],
    },
    {
      kind: 'product',
      label: 'acute without albumin, by age',
      coefficient: -2,
      factors: [
        { kind: 'flag', field: 'acute', points: 1 },
        { kind: 'absent', field: 'albumin', points: 1 },
        {
          kind: 'banded',
          field: 'age',
          bands: [
            { to: 79, points: 0 },
            { from: 80, points: 3 },
          ],
        },
      ],
    },
  ],
}

const PRODUCTS = [
  [{ age: 70, sex: 'M', albumin: 3, acute: true }, -1.2],
  [{ age: 70, sex: 'F', albumin: 3, acute: true }, -1.2 + 0.12 * 7],
  [{ age: 70, sex: 'X', albumin: 3, acute: true }, -1.2 + 0.12 * 7 * 0.5],
  [{ age: 80, sex: 'M', acute: true }, -1.4 - 6],
  [{ age: 79, sex: 'M', acute: true }, -1.4],
  [{ age: 80, sex: 'M', acute: false }, -1.4],
] as const
for (const [record, score] of PRODUCTS) {
  test(`interactions of ${JSON.stringify(record)} give ${score}`, () => {
    const plan = makePlan(KNOWLEDGE, INTERACTIONS)
    const outcome = new Assessor(plan, compileModel(INTERACTIONS, plan)).assess(
      { idx: 1, ...record },
      0,
      OPTIONS,
    )
    assert.ok(Math.abs(outcome.score - score) < 1e-12, String(outcome.score))
  })
}

test('a product is explained with its own label and the values of all its factors', () => {
  assert.deepEqual(faultsOf(INTERACTIONS), [])
  const { explain } = createScorer(KNOWLEDGE, INTERACTIONS, SCORER)
  const body = Buffer.from(JSON.stringify([{ idx: 1, age: 80, sex: 'F', acute: true }]))
  const [answer] = JSON.parse(Buffer.from(explain(body, OPTIONS.today).bytes).toString()) as [
    {
      explanation: { terms: { label: string; kind: string; points: number; values: { field: string }[] }[] }
    },
  ]
  const [, byAge, acute] = answer.explanation.terms
  assert.deepEqual([byAge?.label, byAge?.kind, byAge?.points], ['age × sex', 'product', 0.96])
  assert.deepEqual([acute?.label, acute?.points], ['acute without albumin, by age', -6])
  assert.deepEqual(
    acute?.values.map(({ field }) => field),
    ['acute', 'albumin', 'age'],
  )
})

test('the byte reader and the reference agree on interactions', () => {
  const records = Array.from({ length: 500 }, (_, idx) => ({
    idx,
    age: 10 + (idx % 115),
    sex: ['F', 'M', 'X', 'Z'][idx % 4],
    acute: idx % 3 === 0,
    ...(idx % 5 === 0 ? {} : { albumin: 0.4 + (idx % 80) / 10 }),
  }))
  const body = Buffer.from(JSON.stringify(records))
  const [bytes, reference] = (['bytes', 'reference'] as const).map((reader) =>
    Buffer.from(
      createScorer(KNOWLEDGE, INTERACTIONS, { ...SCORER, reader }).score(body, 20260101).bytes,
    ).toString(),
  )
  assert.equal(bytes, reference)
})

const BAD_PRODUCTS = [
  ['one factor', { factors: [{ kind: 'flag', field: 'acute', points: 1 }] }, '/terms/1/factors shape'],
  [
    'an unknown kind of factor',
    { factors: [{ kind: 'flag', field: 'acute', points: 1 }, { kind: 'moon' }] },
    '/terms/1/factors/1/kind shape',
  ],
  [
    'a product in a product',
    {
      factors: [
        { kind: 'flag', field: 'acute', points: 1 },
        { kind: 'product', coefficient: 1, factors: [] },
      ],
    },
    '/terms/1/factors/1/kind shape',
  ],
  [
    'a factor of the wrong type',
    {
      factors: [
        { kind: 'flag', field: 'age', points: 1 },
        { kind: 'linear', field: 'age', coefficient: 1 },
      ],
    },
    '/terms/1/factors/0 term-type',
  ],
  [
    'a factor of an unknown input',
    {
      factors: [
        { kind: 'flag', field: 'moon', points: 1 },
        { kind: 'linear', field: 'age', coefficient: 1 },
      ],
    },
    '/terms/1/factors/0 unknown-input',
  ],
] as const
for (const [what, change, fault] of BAD_PRODUCTS) {
  test(`a product with ${what} is refused`, () => {
    const terms = INTERACTIONS.terms.map((term, index) => (index === 1 ? { ...term, ...change } : term))
    assert.ok(
      faultsOf({ ...INTERACTIONS, terms }).includes(fault),
      faultsOf({ ...INTERACTIONS, terms }).join('\n'),
    )
  })
}

test('a product of whole points may stand before a table of scores, and every reachable score needs its risk', () => {
  const model = {
    ...MODEL,
    inputs: { age: {}, acute: {} },
    terms: [
      {
        kind: 'product',
        coefficient: 2,
        factors: [
          { kind: 'flag', field: 'acute', points: 1 },
          {
            kind: 'banded',
            field: 'age',
            bands: [
              { to: 79, points: -1 },
              { from: 80, points: 3 },
            ],
          },
        ],
      },
    ],
  }
  const table = (risks: readonly number[]): unknown => ({
    ...model,
    link: { kind: 'scoreTable', from: -2, risks },
  })
  assert.deepEqual(faultsOf(table([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])), [])
  assert.deepEqual(faultsOf(table([0, 0.1, 0.2])), ['/link score-gap'])
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
  const plan = makePlan(KNOWLEDGE, model)
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
  const plan = makePlan(KNOWLEDGE, model)
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
  first.merge(second.counts)
  assert.equal(driftOf(first).records, 4)
  assert.ok((driftOf(first).inputs[0]?.index ?? 0) > 1)
})
