/** Trees explained: Shapley values against a sum over all subsets, and ranges against all values that were left out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Domain, fieldDomain } from '../../src/definition/domain.ts'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { TreesDefinition } from '../../src/definition/term.ts'
import { createScorer } from '../../src/scorer.ts'
import { Random } from '../../../../test/support/random.ts'
import { plainPoints, randomTrees } from '../../../../test/support/random-trees.ts'
import { OPTIONS, TODAY, model } from '../../../../test/support/small-definitions.ts'

/** Small domains, so that the two records often have the same value, and fields come several times on a path. */
const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  a: { type: 'integer', from: 0, to: 6, meaning: 'a' },
  b: { type: 'decimal', from: 0, to: 3, meaning: 'b' },
  c: { type: 'code', values: { x: 'x', y: 'y', z: 'z' }, meaning: 'c' },
  d: { type: 'yesNo', meaning: 'd' },
  e: { type: 'integer', from: 0, to: 3, meaning: 'e' },
}
const NAMES = Object.keys(FIELDS)
const DOMAINS = new Map<string, Domain>(
  NAMES.map((name) => [name, fieldDomain(FIELDS[name] as FieldDefinition)]),
)
const DEFINITIONS = { fields: new Map(Object.entries(FIELDS)), scales: [] }
const VALUES: Readonly<Record<string, readonly (number | string | boolean)[]>> = {
  a: [0, 1, 2, 3, 4, 5, 6],
  b: Array.from({ length: 31 }, (_, at) => at / 10),
  c: ['x', 'y', 'z'],
  d: [true, false],
  e: [0, 1, 2, 3],
}
type Values = Readonly<Record<string, number | string | boolean>>

const numbers = (p50: number): object => ({ cuts: [], shares: [1], missing: 0, p50 })
const TYPICAL: Values = { a: 3, b: 1.5, c: 'y', d: false, e: 1 }
const PROFILE = {
  data: 'made up',
  rows: 1,
  inputs: {
    a: numbers(3),
    b: numbers(1.5),
    c: { codes: { x: 0.2, y: 0.5, z: 0.3 }, missing: 0 },
    d: { codes: { true: 0.2, false: 0.8 }, missing: 0 },
    e: numbers(1),
  },
  risk: { cuts: [], shares: [1] },
} as unknown as NonNullable<ModelDefinition['profile']>

function randomModel(random: Random, absent: ReadonlySet<string>, more: Partial<ModelDefinition> = {}) {
  const combine = random.pick(['sum', 'mean'] as const)
  const shape = { count: 1 + random.below(6), depth: 1 + random.below(6), combine, absent }
  const term = randomTrees(random, DOMAINS, shape)
  const input = (name: string): object => (absent.has(name) ? { whenAbsent: null, why: 'a test' } : {})
  const inputs = Object.fromEntries(NAMES.map((name) => [name, input(name)]))
  const plain = { kind: 'linear', field: 'e', coefficient: 0.1 } as const
  const terms = absent.size === 0 ? [term, plain] : [term]
  const definition = model(inputs, terms, { profile: PROFILE, ...more })
  return { term, definition, scorer: createScorer(DEFINITIONS, definition, OPTIONS) }
}

function randomRecord(random: Random, left: ReadonlySet<string>): Values {
  const given = NAMES.filter((name) => !left.has(name))
  return Object.fromEntries(given.map((name) => [name, random.pick(VALUES[name] ?? [])]))
}

/** By definition: the mean gain of an input over all orders in which the inputs are taken from the record. */
function shapley(term: TreesDefinition, record: Values, name: string): number {
  const others = NAMES.filter((each) => each !== name)
  let share = 0
  for (let own = 0; own < 2 ** others.length; own++) {
    const taken = others.filter((_, bit) => (own >> bit) & 1)
    const mixed = (names: readonly string[]): Values =>
      Object.fromEntries(
        NAMES.flatMap((each) => {
          const value = names.includes(each) ? record[each] : TYPICAL[each]
          return value === undefined ? [] : [[each, value]]
        }),
      )
    const gain = plainPoints(term, mixed([...taken, name])) - plainPoints(term, mixed(taken))
    share +=
      (gain * factorial(taken.length) * factorial(others.length - taken.length)) / factorial(NAMES.length)
  }
  return share
}

const factorial = (number: number): number => (number <= 1 ? 1 : number * factorial(number - 1))

for (const absent of [new Set<string>(), new Set(['b', 'c', 'd'])]) {
  test(`contributions of trees are Shapley values, with ${absent.size} inputs that may be absent`, () => {
    const random = new Random(9)
    for (let round = 0; round < 150; round++) {
      const { term, scorer } = randomModel(random, absent)
      const left = new Set([...absent].filter(() => random.chance(0.4)))
      const record = randomRecord(random, left)
      const outcome = scorer.assess({ idx: 1, ...record }, TODAY)
      const { explanation } = scorer.restsOn(outcome, TODAY)
      assert.ok(explanation?.contributions)
      for (const { fields, points } of explanation.contributions) {
        const [name = ''] = fields
        const linear = absent.size === 0 && name === 'e' ? 0.1 * ((record['e'] as number) - 1) : 0
        const expected = shapley(term, record, name) + linear
        assert.ok(Math.abs(points - expected) < 2e-6, `${name}: ${points}, not ${expected}`)
      }
      for (const { field, value } of explanation.terms.flatMap(({ values }) => values))
        assert.equal(value, record[field] ?? null)
    }
  })

  test(`the range of trees holds every value that was left out, with ${absent.size} that may be absent`, () => {
    const random = new Random(4)
    const widths: number[] = []
    for (let round = 0; round < 60; round++) {
      const { scorer } = randomModel(random, absent)
      const left = new Set(NAMES.filter(() => random.chance(0.35)))
      const record = randomRecord(random, left)
      const outcome = scorer.assess({ idx: 1, ...record }, TODAY)
      const answered = outcome.blocked ? [] : [outcome.risk]
      const { range } = scorer.restsOn(outcome, TODAY)
      if (left.size === 0) continue
      assert.deepEqual(range?.inputs, [...left])
      const risks = [
        ...answered,
        ...combinations([...left]).map(
          (values) => scorer.assess({ idx: 1, ...record, ...values }, TODAY).risk,
        ),
      ]
      const [low, high] = [Math.min(...risks), Math.max(...risks)]
      assert.ok(
        range.possible[0] <= low && range.possible[1] >= high,
        `${range.possible.join(' to ')} does not hold ${low} to ${high}`,
      )
      // One tree alone is walked exactly, apart from what is absent.
      widths.push(range.possible[1] - range.possible[0] - (high - low))
    }
    assert.ok(widths.filter((width) => width < 1e-3).length > widths.length / 5)
  })
}

for (const absent of [new Set<string>(), new Set(['b', 'c', 'd'])])
  test(`with one input missing the range of trees is exact, with ${absent.size} that may be absent`, () => {
    const random = new Random(5)
    for (let round = 0; round < 60; round++) {
      const { scorer } = randomModel(random, absent)
      const name = random.pick(NAMES)
      const record = randomRecord(random, new Set([name]))
      const outcome = scorer.assess({ idx: 1, ...record }, TODAY)
      const answered = outcome.blocked ? [] : [outcome.risk]
      const { range } = scorer.restsOn(outcome, TODAY)
      // Edges are tenths, so every piece between two of them holds a twentieth.
      const values = name === 'b' ? Array.from({ length: 61 }, (_, at) => at / 20) : (VALUES[name] ?? [])
      const tried = values.map((value) => scorer.assess({ idx: 1, ...record, [name]: value }, TODAY).risk)
      const risks = [...answered, ...tried]
      assert.deepEqual(range?.possible, [Math.min(...risks), Math.max(...risks)], name)
    }
  })

const ABSENT_TERM = { kind: 'absent', field: 'b', points: 0.5 } as const
const ABSENT_TREE: TreesDefinition = {
  kind: 'trees',
  combine: 'sum',
  trees: [[{ field: 'b', upTo: 1, then: 1, else: 2, absent: 'then' }, 0.1, 0.4]],
}
for (const terms of [[ABSENT_TERM], [ABSENT_TREE, ABSENT_TERM]])
  test(`absence with a meaning belongs to the range: ${terms.map(({ kind }) => kind).join(' and ')}`, () => {
    const definition = model({ b: { whenAbsent: null, why: 'a test' } }, terms)
    const scorer = createScorer(DEFINITIONS, definition, OPTIONS)
    const outcome = scorer.assess({ idx: 1 }, TODAY)
    const { risk } = outcome
    const { range } = scorer.restsOn(outcome, TODAY)
    const risks = [0, 2].map((b) => scorer.assess({ idx: 1, b }, TODAY).risk)
    assert.deepEqual(range?.possible, [Math.min(...risks), risk])
  })

test('so many values that they cannot be tried together are bounded tree by tree', () => {
  const edges = Array.from({ length: 60 }, (_, at) => (at + 1) / 30)
  const field = (name: string): FieldDefinition => ({ type: 'decimal', from: 0, to: 3, meaning: name })
  const fields = new Map([
    ['p', field('p')],
    ['q', field('q')],
  ])
  const trees = ['p', 'q'].flatMap((name) =>
    edges.map((edge, at) => [{ field: name, below: edge, then: 1, else: 2 }, at % 2, 1 - (at % 2)]),
  )
  const term: TreesDefinition = { kind: 'trees', combine: 'mean', trees }
  const definition = model({ p: {}, q: {} }, [term], { link: { kind: 'identity' } })
  const scorer = createScorer({ fields, scales: [] }, definition, OPTIONS)
  const rangeOf = (record: object): readonly number[] | undefined =>
    scorer.restsOn(scorer.assess({ idx: 1, ...record }, TODAY), TODAY).range?.possible
  // With one missing, half of its trees vote for it at any place, but for the first of a pair.
  assert.deepEqual(rangeOf({ p: 0 }), [0.5, 0.5083])
  assert.deepEqual(rangeOf({}), [0.0001, 0.9999])
})

function combinations(names: readonly string[]): readonly object[] {
  const [name, ...others] = names
  if (name === undefined) return [{}]
  return combinations(others).flatMap((rest) =>
    (VALUES[name] ?? []).map((value) => ({ [name]: value, ...rest })),
  )
}

test('a tree of whole points with a table of risks that falls and rises has a range too', () => {
  const tree = [{ field: 'e', upTo: 0, then: 1, else: 2 }, 0, { field: 'e', upTo: 1, then: 3, else: 4 }, 1, 2]
  const term: TreesDefinition = { kind: 'trees', combine: 'sum', trees: [tree] }
  const link: ModelDefinition['link'] = { kind: 'scoreTable', from: 0, risks: [0.3, 0.1, 0.2] }
  const scorer = createScorer(DEFINITIONS, model({ e: {} }, [term], { link }), OPTIONS)
  const { range } = scorer.restsOn(scorer.assess({ idx: 1 }, TODAY), TODAY)
  assert.deepEqual(range?.possible, [0.1, 0.3])
})

test('a risk that is the mean of trees has a range within 0 and 1', () => {
  const trees = [[{ field: 'd', oneOf: [true], then: 1, else: 2 }, 1, 0]]
  const term: TreesDefinition = { kind: 'trees', combine: 'mean', trees }
  const scorer = createScorer(DEFINITIONS, model({ d: {} }, [term], { link: { kind: 'identity' } }), OPTIONS)
  const { range } = scorer.restsOn(scorer.assess({ idx: 1 }, TODAY), TODAY)
  assert.deepEqual(range?.possible, [0.0001, 0.9999])
})

test('a leaf that only an absent value reaches belongs to the range', () => {
  const questions: readonly object[] = [
    { field: 'b', upTo: 3, then: 1, else: 2, absent: 'else' },
    { field: 'b', below: 0, then: 2, else: 1, absent: 'then' },
    { field: 'c', oneOf: ['x', 'y', 'z'], then: 1, else: 2, absent: 'else' },
  ]
  for (const question of questions) {
    const trees = [[question, 0.2, 0.9]] as TreesDefinition['trees']
    const { field } = question as { readonly field: string }
    const definition = model(
      { [field]: { whenAbsent: null, why: 'a test' } },
      [{ kind: 'trees', combine: 'sum', trees }],
      { link: { kind: 'identity' } },
    )
    const scorer = createScorer(DEFINITIONS, definition, OPTIONS)
    const outcome = scorer.assess({ idx: 1 }, TODAY)
    assert.equal(outcome.risk, 0.9)
    assert.deepEqual(scorer.restsOn(outcome, TODAY).range?.possible, [0.2, 0.9], JSON.stringify(question))
  }
})

test('the usual range holds the way of an absent code, also where the codes of that way are rare', () => {
  const split = { field: 'c', oneOf: ['x'], then: 2, else: 1, absent: 'then' as const }
  const term: TreesDefinition = { kind: 'trees', combine: 'sum', trees: [[split, 0.2, 0.9]] }
  const inputs = { c: { codes: { x: 0, y: 0.5, z: 0.5 }, missing: 0.2 } }
  const profile = { data: 'made up', rows: 10, inputs, risk: { cuts: [], shares: [1] } }
  const definition = model({ c: { whenAbsent: null, why: 'a test' } }, [term], {
    link: { kind: 'identity' },
    profile,
  })
  const scorer = createScorer(DEFINITIONS, definition, OPTIONS)
  const { range } = scorer.restsOn(scorer.assess({ idx: 1 }, TODAY), TODAY)
  assert.deepEqual(range?.usual, [0.2, 0.9])
})
