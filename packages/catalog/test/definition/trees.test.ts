/** Trees, powers and the identity link in a model's file: what is refused, and where. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type SplitDefinition,
  type TermDefinition,
  type TreeDefinition,
  edgeOf,
  nextUp,
  powerAt,
} from 'patient-risk-engine/definition'
import { Random } from '../../../../test/support/random.ts'
import { MODEL, faultsOf } from '../../../../test/support/example-model.ts'

const INPUTS = {
  age: { from: 18 },
  sex: { whenAbsent: null, why: 'it is often not asked' },
  albumin: {},
  acute: {},
}
const TREE: TreeDefinition = [
  { field: 'age', below: 65, then: 1, else: 2 },
  { field: 'albumin', upTo: 3.5, then: 3, else: 4 },
  { field: 'sex', oneOf: ['F', 'X'], then: 5, else: 6, absent: 'else' },
  { field: 'acute', oneOf: [true], then: 7, else: 8 },
  -0.2,
  0.1,
  0.3,
  0.25,
  0,
]

function modelWith(tree: unknown, more: object = {}, of: object = {}): unknown {
  const terms = [{ kind: 'trees', combine: 'sum', trees: [tree], ...of }]
  return { ...MODEL, inputs: INPUTS, terms, ...more }
}

/** The tree with other keys in one of its splits. */
function changed(place: number, keys: object): unknown {
  return TREE.map((node, at) => (at === place ? { ...(node as SplitDefinition), ...keys } : node))
}

test('a tree with numbers, codes, yes and no, and an absent code is accepted', () => {
  assert.deepEqual(faultsOf(modelWith(TREE)), [])
  assert.deepEqual(faultsOf(modelWith([0.5], { inputs: { age: { from: 18 } } })), [])
})

const AT = '/terms/0/trees/0'
const REFUSED: readonly (readonly [name: string, model: unknown, ...faults: readonly string[]])[] = [
  [
    'a branch back to the top',
    modelWith(changed(1, { then: 0 })),
    `${AT}/1/then tree-cycle`,
    `${AT}/3 tree-unreachable`,
  ],
  [
    'a branch to itself',
    modelWith(changed(3, { else: 3 })),
    `${AT}/3/else tree-cycle`,
    `${AT}/8 tree-unreachable`,
  ],
  [
    'a branch to nowhere',
    modelWith(changed(3, { else: 9 })),
    `${AT}/3/else tree-node`,
    `${AT}/8 tree-unreachable`,
  ],
  [
    'two branches to one node',
    modelWith(changed(3, { else: 7 })),
    `${AT}/3/else tree-node`,
    `${AT}/8 tree-unreachable`,
  ],
  ['a leaf that no split leads to', modelWith([...TREE, 1]), `${AT}/9 tree-unreachable`],
  ['an edge below the field', modelWith(changed(0, { below: 18 })), `${AT}/0/then tree-unreachable`],
  ['an edge above the field', modelWith(changed(1, { upTo: 8 })), `${AT}/1/else tree-unreachable`],
  [
    'an edge that the split above leaves no room for',
    modelWith(changed(1, { field: 'age', upTo: 64.99999999999999 })),
    `${AT}/1/else tree-unreachable`,
  ],
  [
    'all codes on one side',
    modelWith(changed(2, { oneOf: ['F', 'M', 'X'], absent: 'then' })),
    `${AT}/2/else tree-unreachable`,
  ],
  ['a code that does not exist', modelWith(changed(2, { oneOf: ['F', 'Y'] })), `${AT}/2/oneOf/1 tree-value`],
  ['a code twice', modelWith(changed(2, { oneOf: ['F', 'F'] })), `${AT}/2/oneOf/1 tree-value`],
  ['a word for yes', modelWith(changed(3, { oneOf: ['true'] })), `${AT}/3/oneOf/0 tree-value`],
  ['an edge for codes', modelWith(changed(2, { oneOf: undefined, below: 1 })), `${AT}/2 term-type`],
  [
    'a list of decimal numbers',
    modelWith(changed(1, { upTo: undefined, oneOf: [3.5] })),
    `${AT}/1/oneOf/0 tree-value`,
  ],
  ['two questions', modelWith(changed(0, { upTo: 70 })), `${AT}/0 tree-split`],
  ['no question', modelWith(changed(0, { below: undefined })), `${AT}/0 tree-split`],
  [
    'a field that is not an input',
    modelWith(changed(1, { field: 'stay' })),
    `${AT}/1/field unknown-input`,
    '/inputs/albumin unused-input',
  ],
  [
    'a required field that may be absent',
    modelWith(changed(0, { absent: 'then' })),
    `${AT}/0/absent absence`,
  ],
  ['an absent field without a way', modelWith(changed(2, { absent: undefined })), `${AT}/2 absence`],
  ['a way that does not exist', modelWith(changed(2, { absent: 'left' })), `${AT}/2/absent shape`],
  ['a key that does not exist', modelWith(changed(2, { belw: 3 })), `${AT}/2 shape`],
  ['a leaf that is not a number', modelWith([Number.NaN]), `${AT}/0 shape`],
  ['an endless leaf', modelWith([Infinity]), `${AT}/0 shape`],
  ['an endless edge', modelWith(changed(0, { below: Infinity })), `${AT}/0/below shape`],
  ['no nodes', modelWith([]), `${AT} shape`],
  [
    'absence in a term that needs a number',
    {
      ...MODEL,
      inputs: { age: { from: 18, whenAbsent: null, why: 'w' } },
      terms: [{ kind: 'linear', field: 'age', coefficient: 1 }],
    },
    '/terms/0 absence',
  ],
  ['a sum above 1 as a probability', modelWith(TREE, { link: { kind: 'identity' } }), '/link probability'],
  [
    '2,001 trees',
    modelWith([0], { inputs: { age: { from: 18 } } }, { trees: Array.from({ length: 2_001 }, () => [0.1]) }),
    '/terms trees',
  ],
  [
    'a tree of 201 splits on end',
    modelWith(chain(201), { inputs: { age: { from: 18 } } }),
    `${AT} tree-depth`,
  ],
]

/** A tree whose splits follow each other. */
function chain(length: number): unknown {
  const nodes: unknown[] = []
  for (let at = 0; at < length; at++)
    nodes.push({ field: 'age', below: 120 - at / 4, then: 2 * at + 2, else: 2 * at + 1 }, 0.1)
  return [...nodes, 0.2]
}

for (const [name, model, ...faults] of REFUSED) {
  test(`${name} is refused with its place`, () => {
    // As a file has it: without keys that are undefined.
    const written = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
        : value
    const copy = structuredClone(model) as { terms: { trees?: unknown[][] }[] }
    for (const term of copy.terms) if (term.trees) term.trees = term.trees.map((tree) => tree.map(written))
    const found = faultsOf(copy)
    // A code on no side may leave an input without use; the faults of the rows are what is tested.
    for (const fault of faults) assert.ok(found.includes(fault), `${fault} in ${found.join('; ')}`)
  })
}

test('a tree of 200 splits on end, and 2,000 trees, are accepted', () => {
  assert.deepEqual(faultsOf(modelWith(chain(200), { inputs: { age: { from: 18 } } })), [])
  const trees = Array.from({ length: 2_000 }, () => chain(1))
  assert.deepEqual(faultsOf(modelWith([], { inputs: { age: { from: 18 } } }, { trees })), [])
})

test('the identity link takes a mean of probabilities', () => {
  const trees = [TREE.map((node) => (typeof node === 'number' ? Math.abs(node) : node))]
  assert.deepEqual(faultsOf(modelWith([], { link: { kind: 'identity' } }, { combine: 'mean', trees })), [])
})

const POWERS: readonly (readonly [
  exponent: number,
  timesLogarithm: boolean,
  plus: number,
  isAccepted: boolean,
])[] = [
  ...([
    [1, false, 0, true],
    [2, false, -50, true],
    [0, false, 0, false],
    [0, false, 1, true],
  ] as const),
  ...([
    [-1, false, 0, false],
    [-1, false, 1, true],
    [0.5, false, 0, false],
    [2.5, false, 0.1, true],
  ] as const),
  ...([
    [3, true, 0, false],
    [3, true, 1, true],
    [4, false, 1, false],
    [0.25, false, 1, false],
  ] as const),
]
for (const [exponent, timesLogarithm, plus, isAccepted] of POWERS) {
  const logarithm = timesLogarithm ? ' times its logarithm' : ''
  test(`(age + ${plus})^${exponent}${logarithm} of ages from 0 is ${isAccepted ? 'accepted' : 'refused'}`, () => {
    const term = { kind: 'power', field: 'age', per: 10, plus, exponent, timesLogarithm, coefficient: 0.1 }
    const found = faultsOf({ ...MODEL, inputs: { age: {} }, terms: [term] })
    assert.equal(found.length === 0, isAccepted, found.join())
  })
}

const POINTS: readonly (readonly [keys: object, value: number, points: number])[] = [
  [{ exponent: -2, per: 10 }, 50, 2 / 25],
  [{ exponent: -2, per: 10, timesLogarithm: true }, 50, (2 * Math.log(5)) / 25],
  [{ exponent: 0, per: 10 }, 50, 2 * Math.log(5)],
  [{ exponent: 0, per: 10, timesLogarithm: true }, 50, 2 * Math.log(5) * Math.log(5)],
  [{ exponent: 0.5, plus: 14 }, 50, 16],
  [{ exponent: -0.5, plus: 14 }, 50, 0.25],
  [{ exponent: 2.5 }, 4, 64],
  [{ exponent: 3, plus: -2 }, 1, -2],
  [{ exponent: 1, centre: 3 }, 5, 4],
]
for (const [keys, value, points] of POINTS) {
  test(`twice the power ${JSON.stringify(keys)} of ${value} is ${points}`, () => {
    const term = { kind: 'power', field: 'age', coefficient: 2, ...keys } as Extract<
      TermDefinition,
      { kind: 'power' }
    >
    assert.ok(Math.abs(powerAt(term, value) - points) <= 1e-15 * Math.abs(points))
  })
}

test('one 64-bit edge decides as the rounded comparison does, also next to the edge', () => {
  const random = new Random(3)
  for (let at = 0; at < 20_000; at++) {
    const scale = 10 ** (random.below(20) - 10)
    const edge = random.chance(0.1) ? 0 : (random.next() - 0.5) * scale
    const written = random.chance(0.5)
      ? Math.fround(edge)
      : random.chance(0.5)
        ? Math.round(edge * 10) / 10
        : edge
    for (const rounding of ['none', 'value', 'both'] as const) {
      const value = rounding === 'none' ? (each: number): number => each : Math.fround
      const compared = rounding === 'both' ? Math.fround(written) : written
      for (const keys of [{ below: written }, { upTo: written }] as const) {
        const limit = edgeOf({ field: 'f', then: 1, else: 2, ...keys }, rounding)
        const near = [
          written,
          Math.fround(written),
          limit,
          nextUp(limit),
          -nextUp(-limit),
          written + scale * 1e-8 * (random.next() - 0.5),
        ]
        for (const each of near) {
          const expected = 'below' in keys ? value(each) < compared : value(each) <= compared
          assert.equal(each < limit, expected, `${each} ${JSON.stringify(keys)} ${rounding}`)
        }
      }
    }
  }
})
