/** Scales that are broken at one place. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasShape } from '../../src/files/check-shape.ts'
import { checkScale, FaultList } from 'patient-risk-engine/definition'
import { type Row, refusesEach } from '../../../../test/support/broken-folder.ts'
import { CODED, type Json, SCALE } from '../../../../test/support/valid-folder.ts'

/** In place of a key that the flag does not have. */
const LEFT_OUT = 'left out'

function flag(more: Readonly<Record<string, Json>>): Json {
  const whole = { items: ['left'], from: 1, text: 'Act now.', source: 'A paper.', ...more }
  return [Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== LEFT_OUT))]
}

const ROWS: readonly Row[] = [
  ['a scale whose id is not its folder', SCALE, '/id', 'grap', '/id', 'id'],
  ['a scale whose id is taken', SCALE, '/id', 'barthel', '/id', 'id-taken'],
  ['a scale whose id is a field', SCALE, '/id', 'falls', '/id', 'id-taken'],
  ['a version that is a text', SCALE, '/version', '1', '/version', 'shape'],
  ['a version of 0', SCALE, '/version', 0, '/version', 'shape'],
  ['an unknown word', SCALE, '/colour', 'red', '', 'shape'],
  ['no items', SCALE, '/items', {}, '/items', 'items'],
  [
    'a red flag of an unknown item',
    SCALE,
    '/redFlags',
    flag({ items: ['head'] }),
    '/redFlags/0/items',
    'unknown-item',
  ],
  ['a red flag without values', SCALE, '/redFlags', flag({ from: LEFT_OUT }), '/redFlags/0', 'red-flag'],
  [
    'a red flag that every value raises',
    SCALE,
    '/redFlags',
    flag({ from: 0 }),
    '/redFlags/0/items',
    'red-flag',
  ],
  [
    'a red flag that no value raises',
    SCALE,
    '/redFlags',
    flag({ from: 99 }),
    '/redFlags/0/items',
    'red-flag',
  ],
  [
    'a red flag that nobody has published',
    SCALE,
    '/redFlags',
    flag({ source: LEFT_OUT }),
    '/redFlags/0',
    'shape',
  ],
  ['an item without values', SCALE, '/items/left/values', [], '/items/left/values', 'shape'],
  ['values out of order', SCALE, '/items/left/values', [0, 2, 1], '/items/left/values/2', 'values-ascending'],
  ['a value twice', SCALE, '/items/left/values', [0, 1, 1], '/items/left/values/2', 'values-ascending'],
  [
    'a value with four decimals',
    SCALE,
    '/items/left/values',
    [0, 0.0001],
    '/items/left/values/1',
    'values-exact',
  ],
  ['a value that is a text', SCALE, '/items/left/values', [0, '1'], '/items/left/values/1', 'shape'],
  ['totals beyond number', SCALE, '/items/left/values', [0, 0.001, 99_999], '/items', 'totals'],
  [
    'a meaning of a value that is not',
    SCALE,
    '/items/left/meanings',
    { '3': 'x' },
    '/items/left/meanings/3',
    'meanings',
  ],
  [
    'a meaning without a value',
    SCALE,
    '/items/left/meanings',
    { '': 'x' },
    '/items/left/meanings/',
    'meanings',
  ],
  ['an item called total', SCALE, '/items/total', { label: 'T', values: [0] }, '/items/total', 'name-taken'],
  ['an item called date', SCALE, '/items/date', { label: 'D', values: [0] }, '/items/date', 'name-taken'],
  [
    'an item called like a subtotal',
    SCALE,
    '/items/hands',
    { label: 'H', values: [0] },
    '/subtotals/hands',
    'name-taken',
  ],
  ['an item name in upper case', SCALE, '/items/Left', { label: 'L', values: [0] }, '/items/Left', 'name'],
  ['a total of an unknown kind', SCALE, '/total', { kind: 'product' }, '/total/kind', 'shape'],
  ['a formula in a string', SCALE, '/total', 'left + right', '/total/kind', 'shape'],
  [
    'a grade of an unknown item',
    SCALE,
    '/total',
    { kind: 'grade', item: 'middle' },
    '/total/item',
    'unknown-item',
  ],
  [
    'a rule over an unknown item',
    SCALE,
    '/total',
    { kind: 'rule', all: ['left', { any: ['middle'] }] },
    '/total/all/1',
    'unknown-item',
  ],
  [
    'a single alternative',
    SCALE,
    '/total',
    { kind: 'sum', alternatives: [['left']] },
    '/total/alternatives/0',
    'alternatives',
  ],
  [
    'an item in two hierarchies',
    SCALE,
    '/total',
    {
      kind: 'sum',
      hierarchies: [
        { severe: 'left', replaces: 'right' },
        { severe: 'rest', replaces: 'right' },
      ],
    },
    '/total/hierarchies/1',
    'item-twice',
  ],
  [
    'an item in two subtotals',
    SCALE,
    '/subtotals/whole/items',
    ['rest', 'left'],
    '/subtotals',
    'subtotals-partition',
  ],
  ['an item in no subtotal', SCALE, '/subtotals/hands/items', ['left'], '/subtotals', 'subtotals-partition'],
  [
    'a subtotal of an unknown item',
    SCALE,
    '/subtotals/hands/items',
    ['left', 'right', 'middle'],
    '/subtotals/hands/items',
    'unknown-item',
  ],
  [
    'a derived figure of an unknown part',
    SCALE,
    '/derived/average/of',
    ['left', 'middle'],
    '/derived/average',
    'unknown-part',
  ],
  [
    'a derived figure that rests on itself',
    SCALE,
    '/derived/average/of',
    ['average'],
    '/derived/average',
    'derived-cycle',
  ],
  [
    'two derived figures that rest on each other',
    SCALE,
    '/derived/average/of',
    ['adjusted'],
    '/derived/average',
    'derived-cycle',
  ],
  [
    'a shift by what has no codes',
    SCALE,
    '/derived/adjusted/by',
    'left',
    '/derived/adjusted/by',
    'unknown-part',
  ],
  [
    'a shift by a word of the language',
    SCALE,
    '/derived/adjusted/by',
    'constructor',
    '/derived/adjusted/by',
    'unknown-part',
  ],
  [
    'a shift without points for a code',
    SCALE,
    '/derived/adjusted/points',
    { short: 1 },
    '/derived/adjusted/points',
    'codes-complete',
  ],
  ['a shift held in a range turned round', SCALE, '/derived/adjusted/from', 9, '/derived/adjusted', 'range'],
  ['bands with a gap', SCALE, '/bands/0/bands/1/from', 5, '/bands/0/bands', 'band-gap'],
  ['bands with an overlap', SCALE, '/bands/0/bands/0/to', 4, '/bands/0/bands', 'band-overlap'],
  ['bands that end too early', SCALE, '/bands/0/bands/1/to', 7, '/bands/0/bands', 'band-gap'],
  ['a band turned round', SCALE, '/bands/0/bands/1/to', 2, '/bands/0/bands/1', 'band-order'],
  [
    'a band that nobody reaches',
    SCALE,
    '/bands/0/bands/2',
    { from: 9, to: 12, label: 'x' },
    '/bands/0/bands/2',
    'band-unused',
  ],
  ['bands of a mean with a gap', SCALE, '/bands/1/bands/0/to', 0.8, '/bands/1/bands', 'band-gap'],
  ['bands of an unknown figure', SCALE, '/bands/0/of', 'left', '/bands/0/of', 'unknown-part'],
  ['a scale in doubt that does not say of what', SCALE, '/verified', false, '/unverified', 'verified'],
  ['a scale in doubt and not', SCALE, '/unverified', ['x'], '/verified', 'verified'],
  ['one coding alone', CODED, '/codings/forms/one', undefined, '/codings/forms', 'codings'],
  ['a default that is no coding', CODED, '/codings/default', 'two', '/codings/default', 'codings'],
  ['codings that all shift', CODED, '/codings/forms/zero/shift', 2, '/codings/forms', 'codings'],
  [
    'a shifted coding of no plain sum',
    CODED,
    '/total',
    { kind: 'grade', item: 'rate' },
    '/codings/forms/one/shift',
    'shift',
  ],
  [
    'a coding with an unknown item',
    CODED,
    '/codings/forms/zero/items',
    ['rate', 'rhythm', 'beat'],
    '/codings/forms/zero/items',
    'unknown-item',
  ],
  [
    'a coding narrowed to foreign values',
    CODED,
    '/codings/forms/zero/narrowed',
    { rate: [0, 7] },
    '/codings/forms/zero/narrowed/rate',
    'narrowed',
  ],
  [
    'a coding with a total of an unknown kind',
    CODED,
    '/codings/forms/zero/total',
    { kind: 'x' },
    '/codings/forms/zero/total/kind',
    'shape',
  ],
]

refusesEach(ROWS)

test('bands of a measure in steps of five are compared with the values on its steps', () => {
  const rulesFor = (last: number): readonly string[] => {
    const faults = new FaultList('walk.json')
    const bands = [
      { from: 0, to: last, label: 'short' },
      { from: 50, to: 100, label: 'long' },
    ]
    const scale = {
      id: 'walk',
      version: 1,
      title: 'Walk',
      purpose: 'W',
      direction: 'higherIsBetter',
      verified: true,
      items: {},
      measures: { metres: { label: 'Metres', from: 0, to: 100, step: 5, unit: 'm' } },
      total: { kind: 'grade', item: 'metres' },
      bands: [{ scheme: 'W', verified: true, bands }],
      source: { cite: 'W' },
      licence: { status: 'W', shipped: 'W' },
    }
    if (hasShape('scale', { value: scale }, faults)) checkScale(scale as never, faults)
    return faults.faults.map(({ rule }) => rule)
  }
  assert.deepEqual(rulesFor(45), [])
  assert.deepEqual(rulesFor(44), ['band-gap'])
})
