/** Points, probabilities and explanations of every kind of term and link, and the figures that are counted beside them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from '../src/definition/model.ts'
import { Assessor } from '../src/answer/assess.ts'
import { makePlan } from '../src/plan/plan.ts'
import type { Explanation } from '../src/explain/explain.ts'
import { FEWEST_VALUES, hintOf, likelyUnit, unitFields, usualIn } from '../src/score/likely-unit.ts'
import { compileLink } from '../src/score/link.ts'
import { compileModel } from '../src/score/model.ts'
import { ProfileCounter, driftOf } from '@patient-risk/monitor'
import { Tally } from '../src/answer/tally.ts'
import { DEFINITIONS, MODEL } from '../../../test/support/example-model.ts'
import { TODAY, model, scorerOf } from '../../../test/support/small-definitions.ts'

const fields = {
  n: { type: 'integer', from: 0, to: 20, meaning: 'n' },
  m: { type: 'integer', from: 0, to: 20, meaning: 'm' },
  d: { type: 'decimal', from: 0, to: 20, meaning: 'd' },
  c: { type: 'code', values: { F: 'f', M: 'm', X: 'x' }, meaning: 'c' },
  y: { type: 'yesNo', meaning: 'y' },
} as const

const bands = [
  { to: 1, points: 5 },
  { from: 2, points: 7 },
]
/** A term, its label, the points for the record, and for that without `m`, which then counts as 4. */
const TERMS: readonly (readonly [ModelDefinition['terms'][number], string, number, number])[] = [
  [{ kind: 'linear', field: 'n', coefficient: 2 }, 'n', 6, 6],
  [{ kind: 'linear', field: 'm', coefficient: 3, per: 2 }, 'm', 15, 6],
  [{ kind: 'square', field: 'n', coefficient: 2 }, 'n, squared', 18, 18],
  [{ kind: 'square', field: 'm', coefficient: 1, per: 2 }, 'm, squared', 25, 4],
  [{ kind: 'logarithm', field: 'n', coefficient: 2, plus: 1 }, 'n, logarithm', 2.772589, 2.772589],
  [{ kind: 'spline', field: 'd', knots: [1, 2, 4], coefficients: [1, 0] }, 'd, curve', 1.5, 1.5],
  [{ kind: 'banded', field: 'n', bands }, 'n', 7, 7],
  [{ kind: 'category', field: 'c', points: { F: 1, M: 2, X: 3 } }, 'c', 2, 2],
  [{ kind: 'flag', field: 'y', points: 4 }, 'y', 4, 4],
  [{ kind: 'absent', field: 'm', points: 9 }, 'm, absent', 0, 9],
  [{ kind: 'count', below: { n: 4, m: 5 }, bands }, 'count of 2 fields', 5, 7],
  [{ kind: 'linear', field: 'n', coefficient: 1, label: 'own' }, 'own', 3, 3],
  [
    {
      kind: 'product',
      coefficient: 2,
      factors: [
        { kind: 'linear', field: 'n', coefficient: 1 },
        { kind: 'absent', field: 'm', points: 1 },
      ],
    },
    'n × m, absent',
    0,
    6,
  ],
]
const inputs = { n: {}, m: { whenAbsent: 4, why: 'w' }, d: {}, c: {}, y: {} }
const RECORD = { idx: 1, n: 3, m: 10, d: 1.5, c: 'M', y: true }

function explained(definition: ModelDefinition, record: object): Explanation {
  const { bytes } = scorerOf({ fields, model: definition }).explain(
    Buffer.from(JSON.stringify([record])),
    TODAY,
  )
  const [result] = JSON.parse(Buffer.from(bytes).toString()) as [{ explanation: Explanation | null }]
  assert.ok(result.explanation, Buffer.from(bytes).toString())
  return result.explanation
}

for (const [term, label, points, without] of TERMS) {
  test(`${term.kind}: ${label} gives ${points}, and ${without} without m`, () => {
    const definition = model(inputs, [term])
    const { terms, score, intercept, model: name } = explained(definition, RECORD)
    assert.deepEqual([name, intercept, score], ['tiny@1.0.0', 0, points])
    assert.deepEqual([terms[0]?.label, terms[0]?.kind, terms[0]?.points], [label, term.kind, points])
    assert.equal(explained(definition, { ...RECORD, m: null }).score, without)
  })
}

test('an explanation shows values as they were given, and those that were assumed', () => {
  const all = model(inputs, [
    { kind: 'category', field: 'c', points: { F: 0, M: 0, X: 0 } },
    { kind: 'flag', field: 'y', points: 0 },
    { kind: 'count', below: { n: 1, m: 1 }, bands: [{ points: 0 }] },
  ])
  const { terms, probability } = explained(all, { ...RECORD, m: null, y: false })
  assert.equal(probability, 0.5)
  assert.deepEqual(
    terms.map(({ values }) => values),
    [
      [{ field: 'c', value: 'M', origin: 'given' }],
      [{ field: 'y', value: false, origin: 'given' }],
      [
        { field: 'n', value: 3, origin: 'given' },
        { field: 'm', value: 4, origin: 'assumed' },
      ],
    ],
  )
})

const near = (one: number, other: number): boolean => Math.abs(one - other) < 1e-12
const half = { kind: 'logistic', intercept: 0 } as const
const LINKS = [
  [{ kind: 'logistic', intercept: -1 }, 1, 0.5],
  [{ kind: 'logistic', intercept: -1 }, 3, 1 / (1 + Math.exp(-2))],
  [{ kind: 'scoreTable', from: 2, risks: [0.1, 0.2] }, 2, 0.1],
  [{ kind: 'scoreTable', from: 2, risks: [0.1, 0.2] }, 3, 0.2],
  [{ kind: 'scoreTable', from: 2, risks: [0.1, 0.2] }, 1, NaN],
  [{ kind: 'scoreTable', from: 2, risks: [0.1, 0.2] }, 2.5, NaN],
  [
    {
      kind: 'strata',
      strata: [
        { from: 0, to: 2, risk: 0.1 },
        { from: 3, to: 9, risk: 0.4 },
      ],
    },
    2,
    0.1,
  ],
  [
    {
      kind: 'strata',
      strata: [
        { from: 0, to: 2, risk: 0.1 },
        { from: 3, to: 9, risk: 0.4 },
      ],
    },
    3,
    0.4,
  ],
  [
    {
      kind: 'strata',
      strata: [
        { from: 0, to: 2, risk: 0.1 },
        { from: 3, to: 9, risk: 0.4 },
      ],
    },
    2.5,
    NaN,
  ],
  [
    {
      kind: 'strata',
      strata: [
        { from: 0, to: 2, risk: 0.1 },
        { from: 3, to: 9, risk: 0.4 },
      ],
    },
    10,
    NaN,
  ],
  [{ kind: 'survival', baseline: 0.9, rate: 0.5 }, 2, 1 - 0.9 ** Math.E],
  [{ kind: 'recalibrated', of: half, intercept: 1, slope: 2 }, 0.5, 1 / (1 + Math.exp(-2))],
] as const
for (const [link, score, risk] of LINKS) {
  test(`${JSON.stringify(link)} gives ${risk} for ${score}`, () => {
    const given = compileLink(link)(score)
    assert.ok(Number.isNaN(risk) ? Number.isNaN(given) : near(given, risk), `${given}`)
  })
}

const PROFILE = {
  data: 'd',
  rows: 9,
  inputs: { age: { cuts: [50], shares: [0.5, 0.5], missing: 0.1 } },
  risk: { cuts: [0.3, 0.6], shares: [0.2, 0.5, 0.3] },
}

test('drift without a record, without a threshold, and of bins that are empty', () => {
  const plan = makePlan(DEFINITIONS, MODEL)
  const empty = driftOf(new ProfileCounter(PROFILE, plan))
  assert.deepEqual([empty.records, empty.scored, empty.risk, empty.inputs[0]?.index], [0, 0, NaN, NaN])
  assert.deepEqual([empty.flagged, empty.expectedFlagged], [NaN, NaN])
  const profile = { ...PROFILE, flagged: { threshold: 0.5, share: 0.25 } }
  const counter = new ProfileCounter(profile, plan)
  const { slots } = new Assessor(plan, compileModel(MODEL, plan))
  const outcome = { idx: 1, problems: [], blocked: false, score: 0, ambiguousIdxs: [] }
  for (const risk of [0.1, 0.3, 0.49, 0.5, 0.6]) counter.add(slots, { ...outcome, risk })
  counter.add(slots, { ...outcome, risk: 0.9, blocked: true })
  const drift = driftOf(counter)
  assert.deepEqual([drift.records, drift.scored, drift.flagged, drift.expectedFlagged], [6, 5, 0.4, 0.25])
  assert.deepEqual([drift.inputs[0]?.missing, drift.inputs[0]?.expectedMissing], [1, 0.1])
  const part = (now: number, then: number): number => (now - then) * Math.log(now / then)
  assert.ok(near(drift.risk, part(0.2, 0.2) + part(0.6, 0.5) + part(0.2, 0.3)))
  const one = new ProfileCounter(profile, plan)
  one.add(slots, { ...outcome, risk: 0.9 })
  assert.ok(near(driftOf(one).risk, part(0.0001, 0.2) + part(0.0001, 0.5) + part(1, 0.3)))
})

test('every record is counted, also an empty one that is clean, and every problem by its kind', () => {
  const tally = new Tally()
  const outcome = { idx: 1, problems: [], blocked: false, score: 0, risk: 0.5, ambiguousIdxs: [] }
  tally.addClean(3)
  tally.add(outcome)
  tally.add({ ...outcome, blocked: true })
  const other = new Tally()
  other.merge({ records: tally.records, scored: tally.scored, problems: tally.problems, uncomputable: 2 })
  other.merge({ records: 1, scored: 0, problems: new Map([['a', new Map([['ValueError', 2]])]]) })
  assert.deepEqual([other.records, other.scored, other.uncomputable], [6, 4, 2])
  assert.deepEqual([...other.problems], [['a', new Map([['ValueError', 2]])]])
})

const units = {
  unit: 'g/dL',
  usual: { from: 10, to: 16 },
  others: { 'g/L': { per: 10, source: 's' }, 'mmol/L': { per: 0.6206, source: 's' } },
  source: 's',
}

/** The unit received, the median in the unit of the field, and the likely unit: a margin of 15 % is left on both sides. */
const LIKELY = [
  ['g/dL', 10, undefined],
  ['g/dL', 10 / 1.14, undefined],
  ['g/dL', 16 * 1.14, undefined],
  ['g/dL', 16 * 1.16, undefined],
  ['g/dL', 7, 'mmol/L'],
  ['g/dL', 120, 'g/L'],
  ['g/L', 1.2, 'g/dL'],
  ['g/dL', 0, undefined],
  ['g/dL', -3, undefined],
  ['g/dL', 1_000, undefined],
] as const
for (const [received, median, likely] of LIKELY) {
  test(`a median of ${median} received in ${received} is likely in ${likely ?? 'that unit'}`, () => {
    assert.equal(likelyUnit(units, received, median), likely)
  })
}

const cutsAt = (cuts: readonly number[], shares: readonly number[]): ReturnType<typeof usualIn> =>
  usualIn({ ...PROFILE, inputs: { age: { cuts: [...cuts], shares: [...shares], missing: 0 } } }, 'age')

test('the usual values are those of the bin that holds the median, if it has two ends', () => {
  assert.deepEqual(cutsAt([1, 2, 3], [0.2, 0.3, 0.3, 0.2]), { from: 1, to: 2 })
  assert.deepEqual(cutsAt([1, 2, 3], [0.2, 0.2, 0.4, 0.2]), { from: 2, to: 3 })
  assert.equal(cutsAt([1, 2], [0.6, 0.2, 0.2]), undefined)
  assert.equal(cutsAt([1, 2], [0.2, 0.2, 0.6]), undefined)
  assert.equal(cutsAt([0, 2], [0.2, 0.6, 0.2]), undefined)
  assert.equal(usualIn(undefined, 'age'), undefined)
  assert.equal(usualIn(PROFILE, 'sex'), undefined)
  const sex = { codes: { F: 1 }, missing: 0 }
  assert.equal(usualIn({ ...PROFILE, inputs: { sex } }, 'sex'), undefined)
})

test('a hint needs fifty values, and shows the median in three digits', () => {
  const source = {
    plan: makePlan(DEFINITIONS, MODEL),
    units: new Map([
      ['albumin', units],
      ['age', units],
      ['x', units],
    ]),
    model: { inputs: { albumin: {} } },
  }
  const [field, ...others] = unitFields(source)
  assert.ok(field)
  assert.deepEqual(others, [])
  assert.deepEqual([field.field, field.received, field.usual], ['albumin', 'g/dL', units.usual])
  assert.deepEqual(hintOf(field, FEWEST_VALUES - 1, 7.65432), [])
  assert.deepEqual(hintOf(field, FEWEST_VALUES, 12), [])
  assert.deepEqual(hintOf(field, FEWEST_VALUES, 7.65432), [
    { field: 'albumin', values: 50, median: 7.65, received: 'g/dL', likely: 'mmol/L' },
  ])
})
