/** Keys that a record writes twice, repeated numbers, and the structure of a text, against plain counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collidingNumbers } from '../../../../test/support/colliding-numbers.ts'
import { fc } from '../../../../test/support/fast-check.ts'
import { parseWithin, scanStructure } from '../../src/read/body.ts'
import { countKeys, duplicatesAmong, findRepeatedKeys, keysIn } from '../../src/read/repeated-keys.ts'

/** A value whose objects may write a key twice. */
type Tree =
  null | number | string | readonly Tree[] | { readonly pairs: readonly (readonly [string, Tree])[] }

const text = fc.constantFrom(
  'a',
  'b',
  'idx',
  'age',
  '',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '\\',
  '\\"',
  'a b',
  'ü',
)
const { tree } = fc.letrec<{ tree: Tree; record: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.integer(), text),
    fc.array(tie('tree'), { maxLength: 3 }),
    tie('record'),
  ),
  record: fc.array(fc.tuple(text, tie('tree')), { maxLength: 4 }).map((pairs) => ({ pairs })),
}))

const isObject = (value: Tree): value is Extract<Tree, { readonly pairs: unknown }> =>
  typeof value === 'object' && value !== null && 'pairs' in value

/** As JSON, with this space around every sign. */
function spell(value: Tree, space: string): string {
  if (isObject(value)) {
    const members = value.pairs.map(
      ([name, each]) => `${JSON.stringify(name)}${space}:${space}${spell(each, space)}`,
    )
    return `{${space}${members.join(`${space},${space}`)}${space}}`
  }
  if (Array.isArray(value))
    return `[${space}${(value as readonly Tree[]).map((each) => spell(each, space)).join(`${space},`)}${space}]`
  return JSON.stringify(value)
}

const inner = (value: Tree): readonly Tree[] =>
  isObject(value)
    ? value.pairs.map(([, each]) => each)
    : Array.isArray(value)
      ? (value as readonly Tree[])
      : []
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
const isContainer = (value: Tree): boolean => isObject(value) || Array.isArray(value)
const depthOf = (value: Tree): number =>
  isContainer(value) ? 1 + Math.max(0, ...inner(value).map(depthOf)) : 0
const containersOf = (value: Tree): number =>
  (isContainer(value) ? 1 : 0) + sum(inner(value).map(containersOf))
const colonsOf = (value: Tree): number =>
  (isObject(value) ? value.pairs.length : 0) + sum(inner(value).map(colonsOf))
const space = fc.constantFrom('', ' ', '\n\t')
const records = fc.array(tree, { maxLength: 5 })
const bytesOf = (json: string): Uint8Array => Buffer.from(json)

test('depth, keys and containers of a text are those of its value', () => {
  fc.assert(
    fc.property(tree, space, (value, between) => {
      assert.deepEqual(scanStructure(bytesOf(spell(value, between))), {
        depth: depthOf(value),
        colons: colonsOf(value),
        containers: containersOf(value),
      })
    }),
    { numRuns: 500 },
  )
})

test('keys of a parsed value are counted with those of nested objects', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      assert.equal(countKeys(value), scanStructure(bytesOf(JSON.stringify(value))).colons)
    }),
  )
  assert.equal(countKeys({ a: null, b: { c: [{ d: 1 }] } }), 4)
})

test('records that write a key twice are found with their names, and no others', () => {
  fc.assert(
    fc.property(records, space, (list, between) => {
      const parsed = parseWithin(bytesOf(spell(list, between)), 64)
      const keys = sum((parsed.value as readonly unknown[]).map((record) => Object.keys(record ?? {}).length))
      const expected = list.flatMap((record, position): readonly (readonly [number, readonly string[]])[] => {
        const names = isObject(record) ? record.pairs.map(([name]) => name) : []
        const twice = names.filter((name, at) => names.indexOf(name) !== at)
        return twice.length === 0 ? [] : [[position, [...new Set(twice)].sort()]]
      })
      const isNested = list.some((record) => typeof record === 'string' || Array.isArray(record))
      // The keys of lists and strings are not those of records; the walk over records never counts them.
      if (isNested) return
      const found = [...findRepeatedKeys(parsed, keys)].map(([at, { names }]) => [at, [...names].sort()])
      assert.deepEqual(found, expected)
    }),
    { numRuns: 500 },
  )
})

/** A list of records · by position the numbers of each that writes its idx twice. */
const IDXS: readonly (readonly [string, readonly (readonly [number, readonly number[]])[]])[] = [
  ['[{"idx":1,"idx":2}]', [[0, [1, 2]]]],
  ['[{"idx" :\n 1 , "idx":\t2e1}]', [[0, [1, 20]]]],
  ['[{"idx":-1,"a":1,"idx":-0}]', [[0, [-1, 0]]]],
  ['[{"idx":1.5,"idx":2.0}]', [[0, [2]]]],
  ['[{"idx":"1","idx":null}]', [[0, []]]],
  ['[{"idx":1},{"idx":2,"idx":3,"idx":4},{"idx":5}]', [[1, [2, 3, 4]]]],
  [
    '[{"idx":1,"idx":2},{"idx":3,"idx":4}]',
    [
      [0, [1, 2]],
      [1, [3, 4]],
    ],
  ],
  ['[{"idx":1,"a":1,"a":2}]', [[0, []]]],
  ['[{"idx":1,"a":1,"a":2,"idx":9007199254740993}]', [[0, [1]]]],
  ['[{"idx":1,"b":{"idx":2,"idx":3}}]', []],
  ['[{"idx":1,"b":[{"idx":2}]},{"a":1,"a":1}]', [[1, []]]],
]
for (const [json, expected] of IDXS) {
  test(`the numbers of ${JSON.stringify(json)}`, () => {
    const found = findRepeatedKeys(parseWithin(bytesOf(json), 64), -1)
    assert.deepEqual(
      [...found].map(([at, { idxs }]) => [at, idxs]),
      expected,
    )
  })
}

test('keys are given with their places, at any depth or at one', () => {
  const json = '{"a":{"b":1,"b" :2},"c":["a:",{"d":3}],"a":4}'
  const all = [...keysIn(json)].map(({ name, isRepeated, start, end }) => [
    name,
    isRepeated,
    json.slice(start, end),
  ])
  assert.deepEqual(all, [
    ['a', false, '"a":'],
    ['b', false, '"b":'],
    ['b', true, '"b" :'],
    ['c', false, '"c":'],
    ['d', false, '"d":'],
    ['a', true, '"a":'],
  ])
  assert.deepEqual(
    [...keysIn(json, 1)].map(({ name }) => name),
    ['a', 'c', 'a'],
  )
})

test('positions with a number that another one has too, or that an ambiguous record may have', () => {
  const number = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constant(Number.NaN))
  const some = fc.oneof(
    fc.array(number, { maxLength: 12 }),
    fc.uniqueArray(fc.integer(), { maxLength: 12 }).map((numbers) => numbers.sort((a, b) => a - b)),
  )
  fc.assert(
    fc.property(some, fc.array(fc.integer({ min: -3, max: 12 }), { maxLength: 2 }), (idxs, ambiguous) => {
      const expected = idxs.flatMap((idx, position) => {
        const others = idxs.filter((other, at) => at !== position && other === idx)
        return others.length > 0 || ambiguous.includes(idx) ? [position] : []
      })
      const found = duplicatesAmong(idxs, ambiguous)
      assert.deepEqual(
        [...found].sort((a, b) => a - b),
        expected,
      )
    }),
    { numRuns: 1_000 },
  )
})

/** Processor time of the fastest of some runs, so that a busy machine changes nothing. */
function costOf(work: () => unknown): number {
  const costs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...costs)
}

/** In a Map such numbers take 100 times as long as others. */
const MOST_AGAINST_OTHERS = 20

for (const [what, isAmbiguous] of [
  ['records', false],
  ['records that write it twice', true],
] as const) {
  test(`idx that a caller has chosen so that they share a place in a Map: ${what}`, () => {
    // The last one is out of order: ascending numbers are not compared.
    const chosen = [...collidingNumbers(4_000, 12)].reverse().concat(0)
    const others = chosen.map((_, at) => at).concat(0)
    const look = (idxs: readonly number[]): unknown =>
      isAmbiguous ? duplicatesAmong([1, 2], idxs) : duplicatesAmong(idxs, [])
    const plain = costOf(() => look(others))
    const cost = costOf(() => look(chosen))
    assert.ok(cost <= MOST_AGAINST_OTHERS * Math.max(plain, 300), `${cost} against ${plain} µs`)
  })
}
