/** What explaining a record may cost: counted in steps, by the record alone, and never begun where it would be too much. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldDomain } from '../../src/definition/domain.ts'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { NOTICE_CODES } from '../../src/explain/notices.ts'
import { type Scorer, createScorer } from '../../src/scorer.ts'
import { RECORD_STEPS, TooMuchWork, type WorkBudget, WorkMeter } from '../../src/work-meter.ts'
import { Random } from '../../../../test/support/random.ts'
import { around, atLimit } from '../../../../test/support/limits.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { randomTrees } from '../../../../test/support/random-trees.ts'
import { OPTIONS, TODAY, linear, model, scale, scorerOf } from '../../../../test/support/small-definitions.ts'
import { emptyRecords, productsModel } from '../../../../test/support/products-model.ts'

class CountingBudget implements WorkBudget {
  steps = 0
  beforeParse(): void {
    return undefined
  }
  step(): void {
    return undefined
  }
  work(steps: number): void {
    this.steps += steps
  }
}

interface Explained {
  readonly notices: readonly { readonly code: string; readonly field: string; readonly text: string }[]
  readonly range: { readonly inputs: readonly string[] } | null
}

function explain(scorer: Scorer, body: string, budget?: WorkBudget): readonly Explained[] {
  const { bytes } = scorer.explain(Buffer.from(body), TODAY, budget)
  return JSON.parse(Buffer.from(bytes).toString()) as readonly Explained[]
}

const catalog = testCatalog()
const products = createScorer(catalog.definitions, productsModel(), OPTIONS)

function expectTaken(steps: number, isTaken: boolean): void {
  const budget = new CountingBudget()
  const meter = new WorkMeter(budget)
  if (isTaken) meter.take(steps)
  else assert.throws(() => meter.take(steps), TooMuchWork)
  assert.equal(budget.steps, isTaken ? steps : 0, 'what is refused was never begun')
}

atLimit('work to explain a record', around(RECORD_STEPS), expectTaken)

for (const steps of [Infinity, Number.NaN]) {
  test(`a record may not take ${steps} steps`, () => expectTaken(steps, false))
}

test('steps that are counted one by one have the same bound, to a portion of 1,024', () => {
  const meter = new WorkMeter()
  for (let step = 0; step < RECORD_STEPS; step++) meter.count(1)
  assert.throws(() => {
    for (let step = 0; step < 1_024; step++) meter.count(1)
  }, TooMuchWork)
})

test('90 empty records of a model with 1.9 million combinations, 982 bytes: none is tried', () => {
  const body = emptyRecords(90)
  assert.equal(body.length, 982)
  const budget = new CountingBudget()
  const answers = explain(products, body, budget)
  assert.equal(answers.length, 90)
  for (const { range, notices } of answers) {
    assert.equal(range, null)
    assert.deepEqual(
      notices.map(({ code, field }) => [code, field]),
      [['range-not-computed', 'risk']],
    )
  }
  // Only the values of each input are looked at, not their combinations: those of one record would be 11 million steps.
  assert.ok(budget.steps < 90 * 30_000, `${budget.steps} steps`)
})

test('the same model has a range where fewer values are missing', () => {
  const [one, two] = explain(
    products,
    '[{"idx":1,"age":80,"inpatientAdmissions":1},{"idx":2,"emergencyAdmissions":0}]',
  )
  assert.deepEqual([one?.range?.inputs, one?.notices], [['emergencyAdmissions'], []])
  assert.deepEqual([two?.range?.inputs, two?.notices], [['age', 'inpatientAdmissions'], []])
})

/** Values of the three inputs, some of them missing or wrong. */
function anyRecord(random: Random, idx: number): Readonly<Record<string, unknown>> {
  const record: Record<string, unknown> = { idx }
  if (random.chance(0.5)) record['age'] = random.pick([17, 18, 70, 110, 'x'])
  if (random.chance(0.5)) record['inpatientAdmissions'] = random.below(101)
  if (random.chance(0.5)) record['emergencyAdmissions'] = random.below(201)
  if (random.chance(0.3)) record['barthel_feeding'] = 5
  return record
}

test('a record gets the same answer alone, among others, in any order and a second time', () => {
  const random = new Random(40)
  const walter = catalog.models.get('walter@1.0.2')
  assert.ok(walter)
  for (const definition of [productsModel(), walter.definition]) {
    const scorer = createScorer(catalog.definitions, definition, OPTIONS)
    const records = Array.from({ length: 60 }, (_, idx) => anyRecord(random, idx))
    // The first scorer has seen nothing before each record; the second one has answered all of them.
    const alone = records.map((record) => {
      const fresh = createScorer(catalog.definitions, definition, OPTIONS)
      return explain(fresh, JSON.stringify([record]))[0]
    })
    assert.deepEqual(explain(scorer, JSON.stringify(records)), alone)
    assert.deepEqual(explain(scorer, JSON.stringify(records.toReversed())).toReversed(), alone)
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    const { bytes } = scorer.lines.explain(Buffer.from(lines), TODAY, { first: 0, duplicates: new Set() })
    const byLine = Buffer.from(bytes).toString().trim().split('\n')
    assert.deepEqual(
      byLine.map((line) => JSON.parse(line) as unknown),
      alone,
    )
    assert.ok(alone.some((answer) => answer?.range !== null))
  }
})

test('no shipped model comes near the bound for an empty record', () => {
  for (const [key, { definition }] of catalog.models) {
    const budget = new CountingBudget()
    const [answer] = explain(createScorer(catalog.definitions, definition, OPTIONS), '[{"idx":1}]', budget)
    assert.ok(answer?.range, key)
    assert.ok(budget.steps < RECORD_STEPS / 50, `${key}: ${budget.steps} steps`)
  }
})

const FIELD: FieldDefinition = { type: 'integer', from: 0, to: 1_000, meaning: 'a number' }

test('a table of risks that fall and rise: the scores that can be reached are bounded', () => {
  const names = ['a', 'b', 'c']
  const fields = Object.fromEntries(names.map((name) => [name, FIELD]))
  const risks = Array.from({ length: 3_001 }, (_, score) => (score % 7) / 10)
  const definition = model(
    Object.fromEntries(names.map((name) => [name, {}])),
    names.map((name) => linear(name, 1)),
    { link: { kind: 'scoreTable', from: 0, risks } },
  )
  const scorer = scorerOf({ fields, model: definition })
  const [all, one] = explain(scorer, '[{"idx":1},{"idx":2,"a":1,"b":2}]')
  assert.deepEqual([all?.range, all?.notices[0]?.code], [null, 'range-not-computed'])
  assert.deepEqual(one?.range?.inputs, ['c'])
})

test('the totals that given items leave open are bounded', () => {
  const values = Array.from({ length: 300 }, (_, at) => at)
  const items = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`item${at}`, values]))
  const long = scale('long', items)
  const scorer = scorerOf({ scales: [long], model: model({ long_total: {} }, [linear('long_total', 0.001)]) })
  const nineteen = Object.fromEntries(Array.from({ length: 19 }, (_, at) => [`long_item${at}`, 1]))
  const [free, bounded, few] = explain(
    scorer,
    JSON.stringify([{ idx: 1 }, { idx: 2, ...nineteen }, { idx: 3, long_item0: 1 }]),
  )
  assert.deepEqual(free?.range?.inputs, ['long_total'])
  assert.deepEqual(bounded?.range?.inputs, ['long_total'])
  assert.deepEqual([few?.range, few?.notices.at(-1)?.code], [null, 'range-not-computed'])
})

function forest(trees: number): Scorer {
  const fields = new Map<string, FieldDefinition>(
    Array.from({ length: 20 }, (_, at) => [
      `f${at}`,
      { type: 'decimal', from: 0, to: 100, meaning: 'a number' },
    ]),
  )
  const domains = new Map([...fields].map(([name, field]) => [name, fieldDomain(field)]))
  const term = randomTrees(new Random(3), domains, { count: trees, depth: 7 })
  const inputs = Object.fromEntries([...fields.keys()].map((name) => [name, {}]))
  return createScorer({ fields, scales: [] }, model(inputs, [term]), OPTIONS)
}

test('every way through a forest is counted: 2,000 trees of depth 7 have too many, where few values are missing they have not', () => {
  const scorer = forest(2_000)
  const given = Object.fromEntries(Array.from({ length: 19 }, (_, at) => [`f${at}`, 50]))
  const budget = new CountingBudget()
  const [all, one] = explain(scorer, JSON.stringify([{ idx: 1 }, { idx: 2, ...given }]), budget)
  assert.deepEqual([all?.range, all?.notices[0]?.code], [null, 'range-not-computed'])
  assert.deepEqual(one?.range?.inputs, ['f19'])
  assert.ok(budget.steps <= 2 * RECORD_STEPS)
  assert.ok(explain(forest(100), '[{"idx":1}]')[0]?.range)
})

test('contributions of many large terms are too much together, and the typical patient is still named', () => {
  const names = Array.from({ length: 10 }, (_, at) => `f${at}`)
  const seen = { cuts: [], shares: [1], missing: 0, p01: 1, p50: 5, p99: 9 }
  const profile = {
    data: 'made up',
    rows: 1,
    inputs: Object.fromEntries(names.map((name) => [name, seen])),
    risk: { cuts: [], shares: [1] },
  } as unknown as NonNullable<ModelDefinition['profile']>
  const count = {
    kind: 'count' as const,
    below: Object.fromEntries(names.map((name) => [name, 3])),
    bands: [
      { to: 1, points: 0 },
      { from: 2, points: 0.1 },
    ],
  }
  const inputs = Object.fromEntries(names.map((name) => [name, {}]))
  const fields = Object.fromEntries(names.map((name) => [name, FIELD]))
  const record = JSON.stringify([{ idx: 1, ...Object.fromEntries(names.map((name) => [name, 1])) }])
  // 1,024 subsets of ten inputs: 21,504 steps for each term.
  for (const [terms, isComputed] of [
    [23, true],
    [24, false],
  ] as const) {
    const definition = model(inputs, Array<typeof count>(terms).fill(count), { profile })
    const budget = new CountingBudget()
    const [answer] = explain(scorerOf({ fields, model: definition }), record, budget)
    const { explanation, notices } = answer as Explained & {
      readonly explanation: { readonly reference: unknown; readonly contributions: unknown }
    }
    assert.ok(explanation.reference !== null)
    assert.equal(explanation.contributions !== null, isComputed)
    assert.deepEqual(
      notices.map(({ code }) => code),
      isComputed ? [] : ['contributions-not-computed'],
    )
    assert.ok(budget.steps <= RECORD_STEPS)
  }
})

test('the notices about work name no value, and come only with the part that they are about', () => {
  const outcome = products.assess({ idx: 1 }, TODAY)
  assert.deepEqual(products.restsOn(outcome, TODAY, ['notices']), { notices: [] })
  const { notices, range } = products.restsOn(outcome, TODAY, ['notices', 'range'])
  assert.equal(range, null)
  assert.deepEqual(notices, [
    {
      code: 'range-not-computed',
      field: 'risk',
      text: 'The range of the risk was not computed: the values that are missing allow too many combinations.',
    },
  ])
  assert.ok(NOTICE_CODES.includes('contributions-not-computed'))
})
