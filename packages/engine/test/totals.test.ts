/** Totals, subtotals and derived figures: what is compared, what is worked out, and what keeps a record from a number. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { missing, sumReason, valueError } from '../../../test/support/contract-records.ts'
import {
  TODAY,
  type Definitions,
  linear,
  model,
  results,
  scale,
  scorerOf,
} from '../../../test/support/small-definitions.ts'

const HALVES = { first: [0, 1, 2], second: [0, 1, 2], third: [0, 1, 2] } as const
const split = scale('split', HALVES, {
  subtotals: {
    front: { label: 'front', items: ['first', 'second'] },
    back: { label: 'back', items: ['third'] },
  },
})
const plain = scale('plain', HALVES)
const needsTotal = model({ split_total: {} }, [linear('split_total')])
const needsNothingOfIt = model({ other_total: {} }, [linear('other_total')])
const other = scale('other', { only: [0, 1] })
const used: Definitions = { scales: [split], model: needsTotal }
const unused: Definitions = { scales: [other, split, plain], model: needsNothingOfIt }

const outOfRange = (field: string, item: string): object => valueError(field, item, 1, 'out of range')

const ROWS: readonly (readonly [string, Definitions, object, number | null, readonly object[]])[] = [
  ['a given total is taken', used, { split_total: 5 }, 0.5125, []],
  ['all items give it', used, { split_first: 2, split_second: 2, split_third: 1 }, 0.5125, []],
  [
    'all subtotals beside the total agree',
    used,
    { split_front: 4, split_back: 1, split_total: 5 },
    0.5125,
    [],
  ],
  ['one subtotal beside the total is not compared', used, { split_front: 4, split_total: 5 }, 0.5125, []],
  ['subtotals alone do not give it', used, { split_front: 4, split_back: 1 }, null, [missing('split_total')]],
  [
    'subtotals that do not add up to the total',
    used,
    { split_front: 4, split_back: 2, split_total: 5 },
    null,
    [valueError('split_total', 'Total', 1, sumReason(6))],
  ],
  [
    'a wrong subtotal does not touch a given total',
    used,
    { split_front: 9, split_back: 1, split_total: 5 },
    0.5125,
    [outOfRange('split_front', 'Front')],
  ],
  [
    'a subtotal that differs from its items',
    used,
    { split_first: 1, split_second: 1, split_third: 1, split_front: 3 },
    null,
    [valueError('split_front', 'Front', 1, sumReason(2))],
  ],
  [
    'a wrong item leaves a required total without trust',
    used,
    { split_first: 9, split_second: 2, split_third: 1, split_total: 5 },
    null,
    [outOfRange('split_first', 'First')],
  ],
  [
    'a wrong item of a scale that is not used',
    unused,
    { other_total: 1, plain_first: 9, plain_second: 1, plain_total: 2 },
    0.5025,
    [outOfRange('plain_first', 'First')],
  ],
  [
    'a total out of range without items, not used',
    unused,
    { other_total: 1, plain_total: 7 },
    0.5025,
    [outOfRange('plain_total', 'Total')],
  ],
  [
    'a total out of range that differs from its items too',
    unused,
    { other_total: 1, plain_first: 1, plain_total: 7 },
    null,
    [outOfRange('plain_total', 'Total'), valueError('plain_total', 'Total', 1, sumReason(1))],
  ],
  [
    'a fraction for a total that differs from its items too',
    unused,
    { other_total: 1, plain_first: 1, plain_total: 1.5 },
    null,
    [
      valueError('plain_total', 'Total', 1, 'not an integer'),
      valueError('plain_total', 'Total', 1, sumReason(1)),
    ],
  ],
  [
    'a total that is no number cannot differ from a sum',
    unused,
    { other_total: 1, plain_first: 1, plain_total: '1' },
    0.5025,
    [valueError('plain_total', 'Total', 1, 'not an integer')],
  ],
  [
    'a total that only some items can reach is out of range, and coincides',
    { scales: [other, scale('from', { a: [1, 2], b: [1, 2] })], model: needsNothingOfIt },
    { other_total: 1, from_a: 1, from_total: 1 },
    0.5025,
    [outOfRange('from_total', 'Total')],
  ],
]
for (const [title, definitions, fields, risk, problems] of ROWS) {
  test(title, () => {
    const [result] = results(scorerOf(definitions), [{ idx: 1, ...fields }])
    assert.deepEqual(result, { idx: 1, risk, error_message: problems.length === 0 ? null : problems })
  })
}

test('sums of tenths are exact, also in a derived figure', () => {
  const tenths = scale(
    'tenths',
    { a: [0, 0.1], b: [0, 0.2], c: [0, 0.7] },
    { derived: { both: { kind: 'sum', label: 'both', of: ['a', 'b'] } } },
  )
  const scorer = scorerOf({
    scales: [tenths],
    model: model({ tenths_both: {}, tenths_total: {} }, [
      linear('tenths_both', 1),
      linear('tenths_total', 1),
    ]),
  })
  const all = { tenths_a: 0.1, tenths_b: 0.2, tenths_c: 0.7 }
  const given = { ...all, tenths_both: 0.3, tenths_total: 1 }
  assert.deepEqual(
    results(scorer, [
      { idx: 1, ...all },
      { idx: 2, ...given },
    ]).map(({ risk, error_message }) => [risk, error_message]),
    [
      [0.7858, null],
      [0.7858, null],
    ],
  )
})

test('a total of more values than the reader has a table for is worked out by the reference', () => {
  const wide = scale('wide', { a: [0, 40_000], b: [0, 40_000], c: [0, 1] })
  const definitions = {
    scales: [wide],
    model: model({ wide_total: { from: 1 } }, [linear('wide_total', 0.00001)]),
  }
  const body = new TextEncoder().encode(
    '[{"idx":1,"wide_a":0,"wide_b":0,"wide_c":0},{"idx":2,"wide_a":0,"wide_b":0,"wide_c":1}]',
  )
  const answers = (['bytes', 'reference'] as const).map((reader) =>
    new TextDecoder().decode(scorerOf({ ...definitions, options: { reader } }).score(body, TODAY).bytes),
  )
  assert.match(answers[0] ?? '', /^\[\{"idx":1,"risk":null,.*"idx":2,"risk":0\.5,/)
  assert.equal(answers[0], answers[1])
})
