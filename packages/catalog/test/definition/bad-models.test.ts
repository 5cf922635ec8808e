/** Models that are broken at one place, or do not fit the folder around them. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCatalog } from '../../src/catalog/load.ts'
import { BASE, type Row, newRoot, refusesEach } from '../../../../test/support/broken-folder.ts'
import {
  type Json,
  MODEL,
  MODEL_CASES,
  SCALE,
  change,
  validFiles,
  writeFiles,
} from '../../../../test/support/valid-folder.ts'

const BANDS = '/terms/0/bands'
const DECIMAL = '/terms/1/bands'
const ROWS: readonly Row[] = [
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

refusesEach(ROWS)

const twin = (files: ReturnType<typeof validFiles>): void => {
  files['models/toy@1.0.0/toy.json'] = files[MODEL] as Json
  files['models/toy@1.0.0/cases.json'] = files[MODEL_CASES] as Json
}

test('a model of the same name and version in another folder is refused [id-taken]', () => {
  const root = newRoot()
  const files = validFiles()
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
    const files = validFiles()
    for (const [place, value] of Object.entries(changes)) change(files, SCALE, place, value)
    writeFiles(root, files)
    const { faults } = loadCatalog([BASE, root])
    assert.deepEqual(
      faults.map((fault) => [fault.file, fault.path, fault.rule]),
      [[join(root, MODEL), path, rule]],
    )
  }
})
