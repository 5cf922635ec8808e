/** The range over what is missing: it holds the true risk, and its ends are risks that some values really give. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { SimpleTermDefinition } from '../../src/definition/term.ts'
import { createScorer } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { OPTIONS, TODAY, model, scale, scorerOf } from '../../../../test/support/small-definitions.ts'
import { RangeTrial, type Values, everyValue, tryRanges } from './range-trial.ts'

const catalog = testCatalog()

for (const [key, each] of catalog.models) {
  test(`${key}: the true risk lies inside the range of a record with missing values`, () => {
    tryRanges(new RangeTrial(catalog, each, 7), 1_000)
  })

  test(`${key}: with one missing input the ends are those of all its values, tried one by one`, () => {
    const trial = new RangeTrial(catalog, each, 11)
    for (const name of Object.keys(each.definition.inputs)) {
      const { whole } = trial.next()
      const [id] = name.split('_')
      const others = Object.entries(whole).filter(
        ([field]) => field !== name && !(name.endsWith('_total') && field.startsWith(`${id}_`)),
      )
      const rest: Values = Object.fromEntries(others)
      const risks = everyValue(trial.domainOf(name)).map((value) => trial.riskOf({ ...rest, [name]: value }))
      const range = trial.rangeOf(rest)
      assert.deepEqual(range?.inputs, [name])
      assert.deepEqual(range.possible, [Math.min(...risks), Math.max(...risks)], name)
    }
  })
}

const FIELDS = {
  a: { type: 'integer', from: 0, to: 12, meaning: 'a' },
  b: { type: 'decimal', from: 0, to: 5, meaning: 'b' },
  c: { type: 'code', values: { x: 'x', y: 'y', z: 'z' }, meaning: 'c' },
  d: { type: 'yesNo', meaning: 'd' },
} as const
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[]

function anyTerm(random: Random): SimpleTermDefinition {
  const coefficient = Math.round((random.next() - 0.5) * 100) / 100
  const field = random.pick(['a', 'b'] as const)
  const edge = 1 + random.below(4)
  const kinds: readonly SimpleTermDefinition[] = [
    { kind: 'linear', field, coefficient },
    { kind: 'square', field, per: 2, coefficient },
    { kind: 'logarithm', field, plus: 1, coefficient },
    { kind: 'spline', field, knots: [1, 2, 4], coefficients: [coefficient, -coefficient * 3] },
    { kind: 'category', field: 'c', points: { x: 0, y: coefficient, z: -2 * coefficient } },
    { kind: 'flag', field: 'd', points: coefficient },
    {
      kind: 'banded',
      field,
      bands: [
        { below: edge, points: coefficient },
        { from: edge, points: -coefficient },
      ],
    },
    {
      kind: 'count',
      below: { a: edge, b: edge },
      bands: [
        { to: 1, points: 0 },
        { from: 2, points: coefficient },
      ],
    },
  ]
  return random.pick(kinds)
}

function anyModel(random: Random): ModelDefinition {
  const terms = Array.from({ length: 2 + random.below(5) }, (): ModelDefinition['terms'][number] =>
    random.chance(0.35)
      ? { kind: 'product', coefficient: random.next() * 2 - 1, factors: [anyTerm(random), anyTerm(random)] }
      : anyTerm(random),
  )
  return model(Object.fromEntries(NAMES.map((name) => [name, {}])), terms)
}

/** Every value of these fields, with decimals in steps of a fiftieth. */
const GRID: Readonly<Record<string, readonly (number | string | boolean)[]>> = {
  a: Array.from({ length: 13 }, (_, at) => at),
  b: Array.from({ length: 251 }, (_, at) => at / 50),
  c: ['x', 'y', 'z'],
  d: [true, false],
}

test('random models with products, counts and curves: the range is that of a fine grid of all values', () => {
  const random = new Random(5)
  for (let i = 0; i < 100; i++) {
    const definition = anyModel(random)
    const scorer = scorerOf({ fields: FIELDS, model: definition })
    const riskOf = (values: object): number => scorer.assess({ idx: 1, ...values }, TODAY).risk
    const missing = NAMES.filter(() => random.chance(0.5))
    const rest = Object.fromEntries(
      NAMES.filter((name) => !missing.includes(name)).map((name) => [name, random.pick(GRID[name] ?? [])]),
    )
    const { range } = scorer.restsOn(scorer.assess({ idx: 1, ...rest }, TODAY), TODAY)
    assert.deepEqual(range?.inputs ?? [], missing)
    if (range === null) continue
    let [lowest, highest] = [1, 0]
    for (const values of combinations(missing)) {
      const risk = riskOf({ ...rest, ...values })
      lowest = Math.min(lowest, risk)
      highest = Math.max(highest, risk)
    }
    const shown = JSON.stringify({ terms: definition.terms, rest, range, lowest, highest })
    assert.ok(range.possible[0] <= lowest && range.possible[1] >= highest, shown)
    // Between two places of the grid a curve may go a little further.
    assert.ok(lowest - range.possible[0] < 0.005 && range.possible[1] - highest < 0.005, shown)
  }
})

function combinations(names: readonly string[]): readonly object[] {
  const [name, ...others] = names
  if (name === undefined) return [{}]
  return combinations(others).flatMap((rest) =>
    (GRID[name] ?? []).map((value) => ({ [name]: value, ...rest })),
  )
}

test('a table in which a higher score has a lower risk is tried at every score', () => {
  const fields = {
    n: { type: 'integer', from: 0, to: 2, meaning: 'n' },
    m: { type: 'yesNo', meaning: 'm' },
  } as const
  const scorer = scorerOf({
    fields,
    model: model(
      { n: {}, m: {} },
      [
        { kind: 'linear', field: 'n', coefficient: 1 },
        { kind: 'flag', field: 'm', points: 1 },
      ],
      {
        link: { kind: 'scoreTable', from: 0, risks: [0.2, 0.7, 0.1, 0.3] },
      },
    ),
  })
  const rangeOf = (record: object) =>
    scorer.restsOn(scorer.assess({ idx: 1, ...record }, TODAY), TODAY).range?.possible
  assert.deepEqual(rangeOf({ m: false }), [0.1, 0.7])
  assert.deepEqual(rangeOf({ m: true }), [0.1, 0.7])
  assert.deepEqual(rangeOf({ n: 2 }), [0.1, 0.3])
  assert.deepEqual(rangeOf({}), [0.1, 0.7])
})

const COMPLETE = { age: 75, sex: 'F', inpatientAdmissions: 1, emergencyAdmissions: 0, stayDays: 5 }
const WITHOUT_RANGE = [
  ['nothing is missing', COMPLETE],
  ['an age outside the population of the model', { ...COMPLETE, age: 15, stayDays: null }],
  [
    'a total that its items contradict',
    { ...COMPLETE, stayDays: null, barthel_feeding: 10, barthel_total: 5 },
  ],
  ['no usable idx', { ...COMPLETE, idx: 'one', stayDays: null }],
] as const
for (const [name, record] of WITHOUT_RANGE) {
  test(`there is no range: ${name}`, () => {
    assert.equal(rangeIn(record), null)
  })
}

const WITH_RANGE = [
  ['an age that nobody has counts as missing', { ...COMPLETE, age: 500 }, ['age']],
  ['a text for a number counts as missing', { ...COMPLETE, stayDays: '5' }, ['stayDays']],
  [
    'two missing inputs, in the order of the model',
    { age: 75, sex: 'F', stayDays: 2 },
    ['inpatientAdmissions', 'emergencyAdmissions'],
  ],
] as const
for (const [name, record, inputs] of WITH_RANGE) {
  test(`there is a range: ${name}`, () => {
    assert.deepEqual(rangeIn(record)?.inputs, inputs)
  })
}

function rangeIn(record: object): ReturnType<RangeTrial['rangeOf']> {
  const found = findModel(catalog, 'readmission30')
  assert.ok(found)
  const { scorer } = new RangeTrial(catalog, found, 1)
  return scorer.restsOn(scorer.assess({ idx: 1, ...record }, TODAY), TODAY).range
}

test('given items bound a missing total', () => {
  const found = findModel(catalog, 'profund')
  assert.ok(found)
  const trial = new RangeTrial(catalog, found, 3)
  const all = {
    age: 80,
    caregiver: 'none',
    activeNeoplasia: false,
    dementia: false,
    nyhaOrMrc3to4: false,
    deliriumLastAdmission: false,
    haemoglobin: 12,
    inpatientAdmissions: 0,
  }
  const items = {
    barthel_feeding: 10,
    barthel_bathing: 5,
    barthel_grooming: 5,
    barthel_dressing: 10,
    barthel_bowels: 10,
    barthel_bladder: 10,
    barthel_toiletUse: 10,
    barthel_chairTransfers: 15,
    barthel_mobility: 15,
  }
  // 90 without the stairs, so the total is at least 60, where the model gives no points, whatever the stairs are.
  const bounded = trial.rangeOf({ ...all, ...items })
  const free = trial.rangeOf(all)
  assert.deepEqual(bounded?.inputs, ['barthel_total'])
  assert.equal(bounded.possible[0], bounded.possible[1])
  assert.ok((free?.possible[1] ?? 0) > bounded.possible[1])
})

const DECIDED = [
  [0.0001, 'Yes'],
  [0.9999, 'No'],
  [0.12, null],
] as const
for (const [threshold, decided] of DECIDED) {
  test(`a threshold of ${threshold} is decided as ${decided ?? 'open'} whatever the stay is`, () => {
    const found = findModel(catalog, 'readmission30')
    assert.ok(found)
    const scorer = createScorer(catalog.definitions, found.definition, {
      ...OPTIONS,
      output: { kind: 'yes-no', threshold },
    })
    const { range } = scorer.restsOn(scorer.assess({ idx: 1, ...COMPLETE, stayDays: null }, TODAY), TODAY)
    assert.equal(range?.decided, decided)
  })
}

test('the range over a measure with many steps finds a band between two whole numbers', () => {
  const measure = { label: 'Time', from: 0, to: 300, step: 0.001, unit: 's' }
  const walk = scale(
    'walk',
    {},
    { measures: { seconds: measure }, total: { kind: 'grade', item: 'seconds' } },
  )
  const bands = [
    { to: 12.5, points: 0 },
    { above: 12.5, below: 12.502, points: 3 },
    { from: 12.502, points: 1 },
  ]
  const tiny = model({ walk_total: {} }, [{ kind: 'banded', field: 'walk_total', bands }])
  const scorer = scorerOf({ fields: {}, scales: [walk], model: tiny })
  const riskAt = (seconds: number): number => scorer.assess({ idx: 1, walk_total: seconds }, TODAY).risk
  const { range } = scorer.restsOn(scorer.assess({ idx: 1 }, TODAY), TODAY)
  assert.deepEqual(range?.possible, [riskAt(12.5), riskAt(12.501)])
  assert.equal(riskAt(12.502), riskAt(300))
})
