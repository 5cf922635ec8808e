/** Schemes of bands that are broken at one place, each with the sentence that says why. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkScale, FaultList, type ScaleDefinition } from 'patient-risk-engine/definition'
import { hasShape } from '../../src/files/check-shape.ts'

const LOW = { from: 0, to: 2, label: 'low' }
const HIGH = { from: 3, to: 6, label: 'high' }
const BANDS = [LOW, HIGH]
const WARD = { scheme: 'Ward', verified: true, bands: BANDS }
const OTHER = { ...WARD, scheme: 'Other' }

/** Two items of 0 to 3 in two codings, the second one higher; schooling as a context. */
function scaleWith(bands: readonly object[], more: object = {}): object {
  return {
    id: 'walk',
    version: 1,
    title: 'Walk',
    purpose: 'W',
    direction: 'higherIsWorse',
    verified: true,
    items: { left: { label: 'L', values: [0, 1, 2, 3] }, right: { label: 'R', values: [0, 1, 2, 3] } },
    context: { schooling: { label: 'S', values: { short: 'short', long: 'long' } } },
    codings: { default: null, forms: { zero: { meaning: 'Z' }, one: { meaning: 'O', shift: 1 } } },
    total: 'sum',
    bands,
    source: { cite: 'W' },
    licence: { status: 'W', shipped: 'W' },
    ...more,
  }
}

function faultsOf(scale: object): readonly string[] {
  const faults = new FaultList('walk.json')
  if (hasShape('scale', { value: scale }, faults)) checkScale(scale as ScaleDefinition, faults)
  return faults.faults.map(({ path, rule, message }) => `${path} [${rule}] ${message}`)
}

const rule = (more: object): object => ({ anyItem: 3, from: 0, to: 4, label: 'red', ...more })
const marked = (more: object): object => ({ ...WARD, default: true, ...more })
const PLAIN = { codings: undefined }

/** What is broken · the schemes · the only fault · more of the scale. */
const BROKEN: readonly (readonly [string, readonly object[], string, object?])[] = [
  [
    'two defaults',
    [marked({}), marked({ scheme: 'Other' })],
    '/bands/1/default [two-defaults] /bands/0 is a default too and can hold for the same record',
  ],
  [
    'two defaults, one of them for women only',
    [marked({}), marked({ scheme: 'Other', sex: 'F' })],
    '/bands/1/default [two-defaults] /bands/0 is a default too and can hold for the same record',
  ],
  [
    'two defaults of one coding',
    [marked({ coding: 'one' }), marked({ scheme: 'Other', coding: 'one' })],
    '/bands/1/default [two-defaults] /bands/0 is a default too and can hold for the same record',
  ],
  [
    'two defaults by age that meet in one year',
    [marked({ age: { to: 75 } }), marked({ scheme: 'Other', age: { from: 75 } })],
    '/bands/1/default [two-defaults] /bands/0 is a default too and can hold for the same record',
  ],
  [
    'two defaults where two parts are absent',
    [marked({ absent: 'schooling' }), marked({ scheme: 'Other', absent: 'left' })],
    '/bands/1/default [two-defaults] /bands/0 is a default too and can hold for the same record',
  ],
  [
    'one name for two schemes of the same people',
    [WARD, { ...WARD, sex: 'F' }],
    '/bands/1/scheme [scheme-twice] /bands/0 has the same name and can hold for the same record',
  ],
  [
    'a gap',
    [{ ...WARD, bands: [LOW, { ...HIGH, from: 4 }] }],
    '/bands/0/bands [band-gap] no band holds 3, which can be reached',
  ],
  [
    'an overlap',
    [{ ...WARD, bands: [{ ...LOW, to: 3 }, HIGH] }],
    '/bands/0/bands [band-overlap] 2 bands hold 3',
  ],
  [
    'a gap in the base values of a shifted coding',
    [{ ...WARD, coding: 'one', bands: [{ ...LOW, from: 1 }, HIGH] }],
    '/bands/0/bands [band-gap] no band holds 0, which can be reached',
  ],
  [
    'a band of a narrower coding that nobody reaches',
    [{ ...WARD, coding: 'short' }],
    '/bands/0/bands/1 [band-unused] holds no value that can be reached',
    {
      codings: {
        default: null,
        forms: {
          long: { meaning: 'L' },
          short: { meaning: 'S', narrowed: { left: [0, 1], right: [0, 1] } },
        },
      },
    },
  ],
  [
    'an unknown coding',
    [{ ...WARD, coding: 'two' }],
    '/bands/0/coding [unknown-coding] there is no coding two; there are zero, one',
  ],
  [
    'a coding of a scale without codings',
    [{ ...WARD, coding: 'zero' }],
    '/bands/0/coding [unknown-coding] there is no coding zero; the scale has none',
    PLAIN,
  ],
  [
    'a condition on an unknown part',
    [{ ...WARD, given: 'school' }],
    '/bands/0/given [unknown-part] there is no item, measure or context called school',
  ],
  [
    'a condition on the absence of an unknown part',
    [{ ...WARD, absent: 'constructor' }],
    '/bands/0/absent [unknown-part] there is no item, measure or context called constructor',
  ],
  [
    'a part that is given and absent',
    [{ ...WARD, given: 'schooling', absent: 'schooling' }],
    '/bands/0/absent [condition] schooling cannot be given and absent in one record',
  ],
  [
    'ages turned round',
    [{ ...WARD, age: { from: 75, to: 65 } }],
    '/bands/0/age [condition] `from` lies above `to`',
  ],
  [
    'a figure that does not exist',
    [{ ...WARD, of: 'mean' }],
    '/bands/0/of [unknown-part] there is no total, subtotal, derived figure or context called mean',
  ],
  [
    'a rule on a value that no item has',
    [{ ...WARD, rules: [rule({ anyItem: 4 })] }],
    '/bands/0/rules/0/anyItem [rule-value] no item can have the value 4',
  ],
  [
    'a rule that holds for no total',
    [{ ...WARD, rules: [rule({ to: 2 })] }],
    '/bands/0/rules/0 [band-unused] no total from 0 to 2 has an item with the value 3',
  ],
  [
    'two rules for one total',
    [{ ...WARD, rules: [rule({}), rule({ from: 4, to: 5 })] }],
    '/bands/0/rules/1 [band-overlap] holds for a total that an earlier rule holds for',
  ],
  [
    'a rule turned round',
    [{ ...WARD, rules: [rule({ from: 3, to: 3 }), rule({ from: 5, to: 4 })] }],
    '/bands/0/rules/1 [band-order] `from` lies above `to`',
  ],
  [
    'a rule over a total that is no plain sum',
    [{ ...WARD, bands: [LOW, { ...HIGH, to: 3 }], rules: [rule({})] }],
    '/bands/0/rules/0 [rule-total] a rule needs a total that is the plain sum of the items',
    { ...PLAIN, total: { kind: 'grade', item: 'left' } },
  ],
  [
    'a rule over a subtotal',
    [{ ...WARD, of: 'both', rules: [rule({})] }],
    '/bands/0/rules/0 [rule-total] a rule needs a total that is the plain sum of the items',
    { ...PLAIN, subtotals: { both: { label: 'B', items: ['left', 'right'] } } },
  ],
]
for (const [name, bands, fault, more] of BROKEN) {
  test(`${name}: ${fault}`, () => {
    // A rule turned round holds for no total either.
    assert.deepEqual(
      faultsOf(scaleWith(bands, more)).filter((each) => !each.includes('no total from 5 to 4')),
      [fault],
    )
  })
}

test('an age without an end is refused by its shape', () => {
  assert.match(faultsOf(scaleWith([{ ...WARD, age: {} }])).join(), /^\/bands\/0\/age \[shape\]/)
})

/** Schemes that can stand side by side. */
const SOUND: readonly (readonly [string, readonly object[]])[] = [
  ['a default among others', [marked({}), OTHER]],
  ['defaults by sex', [marked({ sex: 'F' }), marked({ sex: 'M' })]],
  ['defaults by coding', [marked({ coding: 'zero' }), marked({ coding: 'one' })]],
  ['defaults by age, the younger first', [marked({ age: { to: 74 } }), marked({ age: { from: 75 } })]],
  ['defaults by age', [marked({ age: { from: 75 } }), marked({ age: { to: 74 } })]],
  [
    'a default with schooling and one without',
    [marked({ given: 'schooling' }), marked({ absent: 'schooling' })],
  ],
  ['the same the other way round', [marked({ absent: 'schooling' }), marked({ given: 'schooling' })]],
  ['a rule for one item', [{ ...WARD, rules: [rule({ from: 3, to: 3 }), rule({ from: 4, to: 6 })] }]],
]
for (const [name, bands] of SOUND) {
  test(`${name}: no fault`, () => {
    assert.deepEqual(faultsOf(scaleWith(bands)), [])
  })
}
