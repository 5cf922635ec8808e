/** Faults in `contradictions.json`: what it names must exist, and every interval must hold a number. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCatalog } from '../../src/catalog/load.ts'
import { BASE, newRoot } from '../../../../test/support/broken-folder.ts'
import { type Json, change, validFiles, writeFiles } from '../../../../test/support/valid-folder.ts'

const FILE = 'contradictions.json'
const VALID = {
  version: 1,
  quantities: {
    falls: {
      label: 'number of falls',
      fields: { falls: 'value', grip_left: { '0': { to: 2 }, '2': { above: 2, below: 9 } } },
      source: 'a test',
    },
    home: {
      label: 'home',
      fields: { home: { own: { is: 'alone' } }, dizzy: { true: { is: 'helped' } } },
      source: 'a test',
    },
  },
  rules: [
    {
      id: 'one',
      all: [
        { kind: 'values', field: 'home', values: ['care'] },
        { kind: 'aboveField', field: 'falls', other: 'ferritin' },
        { kind: 'anyGiven', fields: ['dizzy', 'grip_total'] },
      ],
      text: 'Both cannot be.',
      source: 'a test',
    },
  ],
} as const

function load(place?: string, value?: Json): ReturnType<typeof loadCatalog> & { readonly file: string } {
  const root = newRoot()
  const files = { ...validFiles(), [FILE]: structuredClone(VALID) as unknown as Json }
  if (place !== undefined) change(files, FILE, place, value)
  writeFiles(root, files)
  return { ...loadCatalog([BASE, root]), file: join(root, FILE) }
}

test('the file that all of these tests break is valid', () => {
  const { catalog, faults } = load()
  assert.deepEqual(faults, [])
  assert.equal(catalog?.definitions.contradictions?.length, 1)
})

/** What is broken · where · by which value · where it is reported · under which rule. */
const ROWS: readonly (readonly [string, string, Json | undefined, string, string])[] = [
  ['an unknown key', '/odd', 1, '', 'shape'],
  ['no version', '/version', undefined, '', 'shape'],
  [
    'an unknown field',
    '/quantities/falls/fields/fals',
    'value',
    '/quantities/falls/fields/fals',
    'unknown-field',
  ],
  [
    'a code as a quantity',
    '/quantities/falls/fields/home',
    'value',
    '/quantities/falls/fields/home',
    'value',
  ],
  ['one field only', '/quantities/home/fields/dizzy', undefined, '/quantities/home/fields', 'alone'],
  [
    'a value that the item has not',
    '/quantities/falls/fields/grip_left/7',
    { to: 1 },
    '/quantities/falls/fields/grip_left/7',
    'values',
  ],
  [
    'a code that the field has not',
    '/quantities/home/fields/home/tent',
    { is: 'x' },
    '/quantities/home/fields/home/tent',
    'values',
  ],
  [
    'an empty interval',
    '/quantities/falls/fields/grip_left/0',
    { from: 3, to: 2 },
    '/quantities/falls/fields/grip_left/0',
    'range',
  ],
  [
    'an open interval of nothing',
    '/quantities/falls/fields/grip_left/0',
    { above: 2, to: 2 },
    '/quantities/falls/fields/grip_left/0',
    'range',
  ],
  [
    'an interval without ends',
    '/quantities/falls/fields/grip_left/0',
    {},
    '/quantities/falls/fields/grip_left/0',
    'range',
  ],
  [
    'a word and a number',
    '/quantities/home/fields/home/own',
    { is: 'x', to: 1 },
    '/quantities/home/fields/home/own',
    'range',
  ],
  ['an unknown field of a rule', '/rules/0/all/0/field', 'hme', '/rules/0/all/0', 'unknown-field'],
  ['a value that no record has', '/rules/0/all/0/values', ['tent'], '/rules/0/all/0/values', 'values'],
  ['a code compared with a number', '/rules/0/all/1/other', 'home', '/rules/0/all/1', 'values'],
  ['two rules of one name', '/rules/1', { ...VALID.rules[0] }, '/rules/1/id', 'id-taken'],
]
for (const [name, place, value, path, rule] of ROWS) {
  test(`${FILE}: ${name} is refused [${rule}]`, () => {
    const { catalog, faults, file } = load(place, value)
    assert.equal(catalog, undefined, 'it is let through')
    const isReported = faults.some(
      (fault) => fault.file === file && fault.path === path && fault.rule === rule,
    )
    assert.ok(isReported, JSON.stringify(faults))
  })
}
