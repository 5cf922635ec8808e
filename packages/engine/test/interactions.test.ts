/** Products of terms: what they give, how they are explained, and which are refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from '../src/definition/model.ts'
import { Assessor } from '../src/answer/assess.ts'
import { makePlan } from '../src/plan/plan.ts'
import { compileModel } from '../src/score/model.ts'
import { type ScorerOptions, createScorer } from '../src/scorer.ts'
import { DEFINITIONS, MODEL, OPTIONS, faultsOf } from '../../../test/support/example-model.ts'

const SCORER: ScorerOptions = {
  output: { kind: 'number' },
  reportUnknown: false,
  maxRecords: 1_000,
  maxDepth: 8,
  maxKeys: 1_024,
  maxLineBytes: 1_000_000,
}

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
    const plan = makePlan(DEFINITIONS, INTERACTIONS)
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
  const { explain } = createScorer(DEFINITIONS, INTERACTIONS, SCORER)
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
      createScorer(DEFINITIONS, INTERACTIONS, { ...SCORER, reader }).score(body, 20260101).bytes,
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
