/** Missing and faulty files of a clinical folder, whatever they define. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCatalog } from '../../src/catalog/load.ts'
import { readClinicalFolder } from '../../src/catalog/read-folder.ts'
import { faultLine } from 'patient-risk-engine/definition'
import { CLINICAL_ROOT } from '../../../../test/support/serve.ts'
import { BASE, type Row, newRoot, refusesEach } from '../../../../test/support/broken-folder.ts'
import {
  FIELDS,
  MODEL,
  MODEL_CASES,
  SCALE,
  SCALE_CASES,
  change,
  validFiles,
  writeFiles,
} from '../../../../test/support/valid-folder.ts'

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

refusesEach(CASE_ROWS)

test('the folder that all of these tests break is valid', () => {
  const root = newRoot()
  writeFiles(root, validFiles())
  const { catalog, faults } = loadCatalog([BASE, root])
  assert.deepEqual(faults, [])
  assert.deepEqual(catalog?.models.get('toy@1.0.0')?.selfCheckFailures, [])
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
  ['more than 20 MB', MODEL, `{}${' '.repeat(20_000_000)}`, 'file-size'],
  ['released.json as a list', 'released.json', '[]', 'shape'],
  ['a digest that is not valid', 'released.json', '{"toy@1.0.0": "abc"}', 'shape'],
]
for (const [name, file, text, rule] of RAW_ROWS) {
  test(`${file}: ${name} is refused [${rule}]`, () => {
    const root = newRoot()
    writeFiles(root, validFiles(), { [file]: text })
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
  const files = validFiles()
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

test('a file of the package has been checked as what it is: under another kind it is checked again', () => {
  const root = newRoot()
  const entry = join(root, 'models/barthel')
  cpSync(join(CLINICAL_ROOT, 'scales/barthel'), entry, { recursive: true })
  const { faults } = loadCatalog([BASE, root])
  assert.ok(faults.some(({ file, rule }) => file === join(entry, 'barthel.json') && rule === 'shape'))
})

const UNKNOWN = [
  ['scale/grip.json', 'scale', /did you mean scales\?/],
  ['modls/x.json', 'modls', /did you mean models\?/],
  ['field.json', 'field.json', /did you mean fields\.json\?/],
  ['wards/x.txt', 'wards', /there may be fields\.json/],
  ['scales/grip/case.json', 'scales/grip/case.json', /did you mean cases\.json\?/],
  ['models/toy/reports.json', 'models/toy/reports.json', /did you mean report\.json\?/],
] as const
for (const [file, named, message] of UNKNOWN) {
  test(`${file} is not read, and named`, () => {
    const root = newRoot()
    writeFiles(root, { ...validFiles(), [file]: {} })
    const { faults } = loadCatalog([BASE, root])
    assert.deepEqual(
      faults.map((fault) => [fault.file, fault.rule]),
      [[join(root, named), 'unknown-name']],
    )
    assert.match(faults[0]?.message ?? '', message)
  })
}

test('every file that a clinical folder may have is known', () => {
  const root = newRoot()
  const parts = [
    ...['fields.json', 'contradictions.json', 'released.json', 'schema/field.schema.json'],
    ...['fields', 'scales', 'diagnoses', 'outcomes', 'maps/a'].map((name) => `fhir/${name}.json`),
    ...['cases.json', 'report.json', 'report.html', 'specification.json'].map((name) => `models/toy/${name}`),
    ...['languages/ca.json', 'scales/grip/cases.json'],
  ]
  writeFiles(root, { ...validFiles(), ...Object.fromEntries(parts.map((name) => [name, {}])) })
  const { faults, unread } = readClinicalFolder(root)
  assert.deepEqual([faults, unread], [[], []])
})

test('other files are listed, and no fault', () => {
  const root = newRoot()
  writeFiles(root, { ...validFiles(), 'config.json': {}, 'scales/loose.json': {}, 'models/toy/rows.csv': {} })
  assert.deepEqual(loadCatalog([BASE, root]).faults, [])
  const names = ['config.json', 'models/toy/rows.csv', 'scales/loose.json']
  assert.deepEqual(
    [...readClinicalFolder(root).unread].sort(),
    names.map((name) => join(root, name)),
  )
})

test('hidden files and texts may be anywhere', () => {
  const root = newRoot()
  writeFiles(root, {
    ...validFiles(),
    'NOTES.md': {},
    '.git/config': {},
    'scales/.DS_Store': {},
    'scales/grip/about.md': {},
  })
  assert.deepEqual(loadCatalog([BASE, root]).faults, [])
})

test('all faults of all files are reported at once', () => {
  const root = newRoot()
  const files = validFiles()
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
