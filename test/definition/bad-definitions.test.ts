/** Definitions that are broken at one place: each is refused with its file, its place, and the rule that it breaks. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadCatalog } from '../../src/catalog/load.ts'
import { checkScale } from '../../src/definition/check/check-scale.ts'
import { FaultList, faultLine } from '../../src/definition/fault.ts'
import { CLINICAL_ROOT } from '../serve.ts'
import {
  CODED,
  FIELDS,
  type Json,
  MODEL,
  MODEL_CASES,
  SCALE,
  SCALE_CASES,
  change,
  soundFiles,
  writeFiles,
} from './sound.ts'

const folder = mkdtempSync(join(tmpdir(), 'definitions-'))
after(() => rmSync(folder, { recursive: true }))
let count = 0

// The base fields and one scale of the package stand for all of it: the whole would be read 150 times.
const BASE = newRoot()
for (const part of ['fields.json', 'scales/barthel']) {
  cpSync(join(CLINICAL_ROOT, part), join(BASE, part), { recursive: true })
}

/** A new folder with these files. */
function newRoot(): string {
  const root = join(folder, String(count++))
  mkdirSync(root)
  return root
}

/** What is broken · in which file · at which place · by which value · where it is reported · under which rule. */
type Row = readonly [string, string, string, Json | undefined, string, string]

const FIELD_ROWS: readonly Row[] = [
  ['a field of an unknown type', FIELDS, '/inputs/falls/type', 'count', '/inputs/falls/type', 'shape'],
  ['a field without meaning', FIELDS, '/inputs/falls/meaning', undefined, '/inputs/falls', 'shape'],
  ['a field with an unknown word', FIELDS, '/inputs/falls/colour', 'red', '/inputs/falls', 'shape'],
  ['a whole-number field with half bounds', FIELDS, '/inputs/falls/to', 9.5, '/inputs/falls/to', 'shape'],
  ['a field whose range is turned round', FIELDS, '/inputs/falls/from', 30, '/inputs/falls', 'range'],
  ['a field called idx', FIELDS, '/inputs/idx', { type: 'yesNo', meaning: 'W' }, '/inputs/idx', 'field-name'],
  [
    'a field called risk',
    FIELDS,
    '/inputs/risk',
    { type: 'yesNo', meaning: 'W' },
    '/inputs/risk',
    'field-name',
  ],
  [
    'a field with an underscore',
    FIELDS,
    '/inputs/a_b',
    { type: 'yesNo', meaning: 'W' },
    '/inputs/a_b',
    'field-name',
  ],
  [
    'a field named by a word of the language',
    FIELDS,
    '/inputs/constructor',
    { type: 'code', values: { a: 'a' }, meaning: 'W' },
    '/inputs/constructor',
    'field-name',
  ],
  [
    'a name taken by a base field',
    FIELDS,
    '/inputs/age',
    { type: 'yesNo', meaning: 'W' },
    '/inputs/age',
    'name-taken',
  ],
  [
    'a name that differs from another in case alone',
    FIELDS,
    '/inputs/stayDAYS',
    { type: 'yesNo', meaning: 'W' },
    '/inputs/stayDAYS',
    'name-taken',
  ],
  ['a code field without codes', FIELDS, '/inputs/home/values', {}, '/inputs/home/values', 'codes'],
  ['an empty code', FIELDS, '/inputs/home/values', { '': 'none' }, '/inputs/home/values', 'codes'],
  [
    'base fields in an extra folder',
    FIELDS,
    '/base',
    { sixth: { type: 'yesNo', meaning: 'W' } },
    '/base',
    'base',
  ],
  ['a file of fields without version', FIELDS, '/version', undefined, '', 'shape'],
]

const SCALE_ROWS: readonly Row[] = [
  ['a scale whose id is not its folder', SCALE, '/id', 'grap', '/id', 'id'],
  ['a scale whose id is taken', SCALE, '/id', 'barthel', '/id', 'id-taken'],
  ['a scale whose id is a field', SCALE, '/id', 'falls', '/id', 'id-taken'],
  ['a version that is a text', SCALE, '/version', '1', '/version', 'shape'],
  ['a version of 0', SCALE, '/version', 0, '/version', 'shape'],
  ['an unknown word', SCALE, '/colour', 'red', '', 'shape'],
  ['no items', SCALE, '/items', {}, '/items', 'items'],
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

const BANDS = '/terms/0/bands'
const DECIMAL = '/terms/1/bands'
const MODEL_ROWS: readonly Row[] = [
  ['a model whose id is not its folder', MODEL, '/id', 'tay', '/id', 'id'],
  ['a version of two numbers', MODEL, '/version', '1.0', '/version', 'shape'],
  ['a version that is a number', MODEL, '/version', 1, '/version', 'shape'],
  ['a card without limits', MODEL, '/card/limits', undefined, '/card', 'shape'],
  ['a card without outcome', MODEL, '/card/outcome', '', '/card/outcome', 'shape'],
  ['an input that is no field', MODEL, '/inputs/fells', {}, '/inputs/fells', 'unknown-field'],
  ['an input that no term uses', MODEL, '/inputs/age', {}, '/inputs/age', 'unused-input'],
  ['a term on what is no input', MODEL, '/terms/0/field', 'age', '/terms/0', 'unknown-input'],
  ['a narrowing below the field', MODEL, '/inputs/falls/from', -1, '/inputs/falls/from', 'narrowing'],
  ['a narrowing above the field', MODEL, '/inputs/falls/to', 21, '/inputs/falls/to', 'narrowing'],
  [
    'a narrowing that leaves nothing',
    MODEL,
    '/inputs/falls',
    { from: 4, to: 3 },
    '/inputs/falls',
    'narrowing',
  ],
  [
    'a narrowing between two values',
    MODEL,
    '/inputs/grip_total',
    { from: 2.2, to: 2.8 },
    '/inputs/grip_total',
    'narrowing',
  ],
  ['a narrowing to half a fall', MODEL, '/inputs/falls/to', 9.5, '/inputs/falls', 'narrowing'],
  [
    'a narrowing to an unknown code',
    MODEL,
    '/inputs/home/values',
    ['own', 'tent'],
    '/inputs/home/values',
    'narrowing',
  ],
  ['codes for a number', MODEL, '/inputs/falls/values', ['few'], '/inputs/falls', 'narrowing'],
  ['limits for a yes/no input', MODEL, '/inputs/dizzy/from', 0, '/inputs/dizzy', 'narrowing'],
  ['absence without a reason', MODEL, '/inputs/dizzy/why', undefined, '/inputs/dizzy', 'absence'],
  ['a reason without absence', MODEL, '/inputs/dizzy/whenAbsent', undefined, '/inputs/dizzy/why', 'absence'],
  ['absence as a foreign value', MODEL, '/inputs/dizzy/whenAbsent', 0, '/inputs/dizzy/whenAbsent', 'absence'],
  [
    'absence as half a fall',
    MODEL,
    '/inputs/falls',
    { whenAbsent: 0.5, why: 'W' },
    '/inputs/falls/whenAbsent',
    'absence',
  ],
  ['no version of a scale', MODEL, '/scales', undefined, '/scales', 'scales'],
  ['another version of a scale', MODEL, '/scales/grip', 2, '/scales/grip', 'scale-version'],
  ['an unknown scale', MODEL, '/scales/grap', 1, '/scales/grap', 'unknown-scale'],
  ['a scale that it does not use', MODEL, '/scales/barthel', 1, '/scales/barthel', 'scales'],
  ['a term of an unknown kind', MODEL, '/terms/0/kind', 'script', '/terms/0/kind', 'shape'],
  ['a hook for code', MODEL, '/terms/0/code', 'return 1', '/terms/0', 'shape'],
  ['no terms', MODEL, '/terms', [], '/terms', 'shape'],
  ['points that are a text', MODEL, `${BANDS}/0/points`, '0', `${BANDS}/0/points`, 'shape'],
  ['bands with a gap', MODEL, `${BANDS}/1/from`, 2, BANDS, 'band-gap'],
  ['bands with an overlap', MODEL, `${BANDS}/1/from`, 0, BANDS, 'band-overlap'],
  ['a band turned round', MODEL, `${BANDS}/1/from`, 6, `${BANDS}/1`, 'band-order'],
  ['a band with two ends', MODEL, `${BANDS}/1/below`, 5, `${BANDS}/1`, 'band-ends'],
  ['a band with two starts', MODEL, `${BANDS}/1/above`, 0, `${BANDS}/1`, 'band-ends'],
  ['a band beyond the field', MODEL, `${BANDS}/3`, { from: 11, points: 1 }, `${BANDS}/3`, 'band-unused'],
  ['decimal bands with a gap', MODEL, `${DECIMAL}/1/above`, 12.1, `${DECIMAL}/1`, 'band-gap'],
  [
    'decimal bands with a hair between them',
    MODEL,
    `${DECIMAL}/1/above`,
    12.000000000000002,
    `${DECIMAL}/1`,
    'band-gap',
  ],
  [
    'decimal bands that both hold the edge',
    MODEL,
    `${DECIMAL}/1`,
    { from: 12, below: 50, points: 0 },
    `${DECIMAL}/1`,
    'band-overlap',
  ],
  [
    'decimal bands neither of which holds the edge',
    MODEL,
    `${DECIMAL}/0`,
    { below: 12, points: 1 },
    `${DECIMAL}/1`,
    'band-gap',
  ],
  ['decimal bands that start too late', MODEL, `${DECIMAL}/0/from`, 1, `${DECIMAL}/0`, 'band-gap'],
  ['decimal bands that end too early', MODEL, `${DECIMAL}/2/below`, 100, `${DECIMAL}/2`, 'band-gap'],
  [
    'a decimal band without end before another',
    MODEL,
    `${DECIMAL}/1`,
    { above: 12, points: 0 },
    `${DECIMAL}/2`,
    'band-overlap',
  ],
  ['bands on codes', MODEL, '/terms/0/field', 'home', '/terms/0', 'term-type'],
  ['a flag on a number', MODEL, '/terms/3/field', 'falls', '/terms/3', 'term-type'],
  ['a category on a number', MODEL, '/terms/2/field', 'falls', '/terms/2', 'term-type'],
  ['a code without points', MODEL, '/terms/2/points', { own: 0 }, '/terms/2/points', 'codes-complete'],
  ['points for a code that is not', MODEL, '/terms/2/points/tent', 3, '/terms/2/points', 'codes-complete'],
  ['a count with a gap', MODEL, '/terms/4/bands', [{ to: 0, points: 0 }], '/terms/4/bands', 'band-gap'],
  [
    'a logarithm of 0',
    MODEL,
    '/terms/0',
    { kind: 'logarithm', field: 'falls', plus: 0, coefficient: 1 },
    '/terms/0/plus',
    'logarithm',
  ],
  ['a link of an unknown kind', MODEL, '/link', { kind: 'magic' }, '/link/kind', 'shape'],
  ['a risk above 1', MODEL, '/link/strata/1/risk', 1.2, '/link/strata/1/risk', 'shape'],
  ['strata with a gap', MODEL, '/link/strata/1/from', 4, '/link', 'score-gap'],
  ['strata with an overlap', MODEL, '/link/strata/1/from', 2, '/link', 'score-overlap'],
  ['strata that end too early', MODEL, '/link/strata/1/to', 5, '/link', 'score-gap'],
  [
    'a stratum turned round',
    MODEL,
    '/link/strata/2',
    { from: 9, to: 7, risk: 0.3 },
    '/link/strata/2',
    'strata-order',
  ],
  ['a share that is not its quotient', MODEL, '/link/strata/0/events', 12, '/link/strata/0/risk', 'counts'],
  ['events without their number', MODEL, '/link/strata/0/of', undefined, '/link/strata/0', 'counts'],
  [
    'a table that is too short',
    MODEL,
    '/link',
    { kind: 'scoreTable', from: 0, risks: [0.1, 0.3] },
    '/link',
    'score-gap',
  ],
  ['a table for broken points', MODEL, '/terms/3/points', 0.5, '/terms', 'whole-points'],
  ['a table for millions of scores', MODEL, '/terms/3/points', 5_000_000, '/terms', 'whole-points'],
  [
    'points beyond every number',
    MODEL,
    '/terms/0',
    { kind: 'linear', field: 'falls', coefficient: 1e308 },
    '/terms',
    'not-finite',
  ],
  [
    'a threshold that is not the risk of its score',
    MODEL,
    '/threshold/risk',
    0.1,
    '/threshold/risk',
    'threshold',
  ],
  ['a threshold score without a risk', MODEL, '/threshold/score', 7, '/threshold/risk', 'threshold'],
  [
    'a threshold finer than the answer',
    MODEL,
    '/threshold',
    { risk: 0.12345, published: false, note: 'W', cost: 'W' },
    '/threshold/risk',
    'threshold',
  ],
  [
    'a threshold score of a curve',
    MODEL,
    '/link',
    { kind: 'logistic', intercept: 0 },
    '/threshold/score',
    'threshold',
  ],
]

const CASE_ROWS: readonly Row[] = [
  ['a scale without cases', SCALE_CASES, '', undefined, '', 'cases-missing'],
  ['a scale with an empty list of cases', SCALE_CASES, '', [], '', 'shape'],
  ['a scale that fails its case', SCALE_CASES, '/0/computed/grip_total', 7, '/0/computed/grip_total', 'case'],
  ['a scale case with a problem that it does not name', SCALE_CASES, '/0/record/grip_left', 3, '/0', 'case'],
  ['a model without cases', MODEL_CASES, '', undefined, '', 'cases-missing'],
  ['a model case without source', MODEL_CASES, '/0/source', undefined, '/0', 'shape'],
  ['a model without definition', MODEL, '', undefined, '', 'file-missing'],
  ['a scale without definition', SCALE, '', undefined, '', 'file-missing'],
]

for (const [name, file, place, value, path, rule] of [
  ...FIELD_ROWS,
  ...SCALE_ROWS,
  ...MODEL_ROWS,
  ...CASE_ROWS,
]) {
  test(`${file}: ${name} is refused [${rule}]`, () => {
    const root = newRoot()
    const files = soundFiles()
    change(files, file, place, value)
    writeFiles(root, files)
    const { catalog, faults } = loadCatalog([BASE, root])
    assert.equal(catalog, undefined, 'it is let through')
    const expected = { file: join(root, file), path, rule }
    const isTold = faults.some(
      (fault) => fault.file === expected.file && fault.path === path && fault.rule === rule,
    )
    assert.ok(isTold, `${JSON.stringify(expected)} is not among\n${faults.map(faultLine).join('\n')}`)
    for (const { message } of faults) assert.match(message, /\S/)
  })
}

test('the folder that all of these break is sound', () => {
  const root = newRoot()
  writeFiles(root, soundFiles())
  const { catalog, faults } = loadCatalog([BASE, root])
  assert.deepEqual(faults, [])
  assert.deepEqual(catalog?.models.get('toy@1.0.0')?.trouble, [])
})

const twin = (files: ReturnType<typeof soundFiles>): void => {
  files['models/toy@1.0.0/toy.json'] = files[MODEL] as Json
  files['models/toy@1.0.0/cases.json'] = files[MODEL_CASES] as Json
}

test('bands of a measure in steps of five are compared with the values on its steps', () => {
  const rulesFor = (last: number): readonly string[] => {
    const faults = new FaultList('walk.json')
    const bands = [
      { from: 0, to: last, label: 'short' },
      { from: 50, to: 100, label: 'long' },
    ]
    const scale = {
      ...{ id: 'walk', version: 1, title: 'Walk', purpose: 'W', direction: 'higherIsBetter', verified: true },
      items: {},
      measures: { metres: { label: 'Metres', from: 0, to: 100, step: 5, unit: 'm' } },
      total: { kind: 'grade', item: 'metres' },
      bands: [{ scheme: 'W', verified: true, bands }],
      source: { cite: 'W' },
      licence: { status: 'W', shipped: 'W' },
    }
    checkScale(scale, faults)
    return faults.faults.map(({ rule }) => rule)
  }
  assert.deepEqual(rulesFor(45), [])
  assert.deepEqual(rulesFor(44), ['band-gap'])
})

test('a model of the same name and version in another folder is refused [id-taken]', () => {
  const root = newRoot()
  const files = soundFiles()
  twin(files)
  writeFiles(root, files)
  const { faults } = loadCatalog([BASE, root])
  assert.deepEqual(
    faults.map(({ rule }) => rule),
    ['id-taken'],
  )
})

test('a model may not rest on an unverified scale, nor on an unverified item', () => {
  for (const [changes, path, rule] of [
    [{ '/verified': false, '/unverified': ['x'] }, '/scales/grip', 'unverified-scale'],
    [{ '/items/left/verified': false }, '/inputs/grip_total', 'unverified-item'],
  ] as const) {
    const root = newRoot()
    const files = soundFiles()
    for (const [place, value] of Object.entries(changes)) change(files, SCALE, place, value)
    writeFiles(root, files)
    const { faults } = loadCatalog([BASE, root])
    assert.deepEqual(
      faults.map((fault) => [fault.file, fault.path, fault.rule]),
      [[join(root, MODEL), path, rule]],
    )
  }
})

/** Files that are no JSON, or not what they seem. */
const RAW_ROWS: readonly (readonly [string, string, string | Uint8Array, string])[] = [
  ['broken JSON', SCALE, '{"id": "grip",', 'json'],
  ['an empty file', MODEL, '', 'json'],
  ['a comment', FIELDS, '{} // nothing', 'json'],
  ['a word that stands twice', MODEL, '{"id": "toy", "id": "toy"}', 'key-twice'],
  ['a word that stands twice, once with an escape', MODEL, '{"id": "toy", "\\u0069d": "toy"}', 'key-twice'],
  ['bytes that are not UTF-8', SCALE, Uint8Array.of(0x7b, 0xff, 0x7d), 'utf-8'],
  ['a byte order mark', SCALE, '\uFEFF{}', 'utf-8'],
  ['a list in place of an object', SCALE, '[]', 'shape'],
  ['null', MODEL, 'null', 'shape'],
  ['a number that no computer holds', MODEL, '{"id": 1e999}', 'shape'],
  ['released.json as a list', 'released.json', '[]', 'shape'],
  ['a digest that is not valid', 'released.json', '{"toy@1.0.0": "abc"}', 'shape'],
]
for (const [name, file, text, rule] of RAW_ROWS) {
  test(`${file}: ${name} is refused [${rule}]`, () => {
    const root = newRoot()
    writeFiles(root, soundFiles(), { [file]: text })
    const { catalog, faults } = loadCatalog([BASE, root])
    assert.equal(catalog, undefined)
    assert.ok(
      faults.some((fault) => fault.file === join(root, file) && fault.rule === rule),
      faults.map(faultLine).join('\n'),
    )
  })
}

test('a folder in place of a file, an empty folder and no folder are reported', () => {
  const root = newRoot()
  const files = soundFiles()
  writeFiles(root, files)
  rmSync(join(root, MODEL))
  mkdirSync(join(root, MODEL))
  assert.ok(loadCatalog([BASE, root]).faults.some(({ rule }) => rule === 'file-unreadable'))
  assert.deepEqual(
    loadCatalog([BASE, newRoot()]).faults.map(({ rule }) => rule),
    ['folder-empty'],
  )
  assert.deepEqual(
    loadCatalog([BASE, join(root, 'none')]).faults.map(({ rule }) => rule),
    ['folder-missing'],
  )
})

test('all faults of all files are reported at once', () => {
  const root = newRoot()
  const files = soundFiles()
  change(files, FIELDS, '/inputs/idx', { type: 'yesNo', meaning: 'W' })
  change(files, SCALE, '/bands/0/bands/1/from', 5)
  change(files, SCALE, '/bands/1/bands/0/to', 0.8)
  change(files, MODEL, '/inputs/falls/from', -1)
  change(files, MODEL, '/inputs/dizzy/why', undefined)
  writeFiles(root, files)
  const rules = loadCatalog([BASE, root]).faults.map(({ rule }) => rule)
  for (const rule of ['field-name', 'band-gap', 'narrowing', 'absence'])
    assert.ok(rules.includes(rule), rules.join())
})
