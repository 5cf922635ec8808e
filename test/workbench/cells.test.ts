/** How the page reads cells and matches columns: only what can be read in one way is converted. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { convertCell, PLAIN_READING, type Reading } from '../../workbench/src/list/match/convert-cell.ts'
import { suggestMatches } from '../../workbench/src/list/match/match-columns.ts'
import type { Field } from '../../workbench/src/shapes/fields.ts'

const field = (type: Field['type']): Field => ({
  name: 'x',
  type,
  meaning: '',
  role: 'input',
  use: 'unused',
  models: [],
  verified: true,
})

/** The rules that the command line follows too. */
const CASES = JSON.parse(readFileSync(new URL('../csv-cases.json', import.meta.url), 'utf8')) as {
  readonly numbers: readonly CellCase[]
  readonly dates: readonly CellCase[]
  readonly yesNo: readonly CellCase[]
}

interface CellCase {
  readonly text: string
  readonly decimal?: 'comma' | 'point'
  readonly dates?: 'DD/MM/YYYY'
  readonly value?: unknown
  readonly reason?: string
}

for (const [kind, type] of [
  ['numbers', 'number'],
  ['dates', 'date'],
  ['yesNo', 'boolean'],
] as const) {
  for (const { text, decimal, dates, value, reason } of CASES[kind]) {
    const said = [decimal, dates].filter((each) => each !== undefined).join()
    test(`${kind}: ${JSON.stringify(text)}${said === '' ? '' : ` (${said})`}`, () => {
      const reading: Reading = { ...PLAIN_READING, decimal: decimal ?? '', dates: dates ?? '' }
      const expected = reason === undefined ? { value } : { fault: reason }
      assert.deepEqual(convertCell(field(type), text, reading), expected)
    })
  }
}

for (const [type, cell, reading, expected] of [
  ['string', 'Female', { values: { Female: 'F' } }, { value: 'F' }],
  ['boolean', 1, {}, { value: true }],
  ['date', '46082', { dates: 'spreadsheet' }, { value: '01-03-2026' }],
  ['integer', '', {}, { value: undefined }],
  ['integer', 84, {}, { value: 84 }],
] as const) {
  test(`the cell ${JSON.stringify(cell)} of a field of type ${type}`, () => {
    assert.deepEqual(convertCell(field(type), cell, { ...PLAIN_READING, ...reading }), expected)
  })
}

test('headers with units in brackets are matched', () => {
  const named = (name: string): Field => ({ ...field('integer'), name })
  const aliases = ({ name }: Field): readonly string[] => (name === 'stayDays' ? ['los'] : [])
  const columns = ['AGE (yrs)', 'LoS (days)', 'MRN']
  assert.deepEqual(suggestMatches(columns, [named('age'), named('stayDays')], aliases, {}), [
    'age',
    'stayDays',
    '@identifier',
  ])
})

for (const [column, given, match] of [
  ['Hb (g/dL)', { unit: 'g/dL' }, 'hb'],
  ['Hb (mmol/L)', { unit: 'g/dL' }, ''],
  ['Hb [g/l]', { unit: 'g/dL' }, ''],
  ['Hb (μmol/l)', { unit: 'µmol/L' }, 'hb'],
  ['Hb (horas)', { unit: 'days' }, ''],
  ['Hb (días)', { unit: 'days' }, 'hb'],
  ['Hb (6 meses)', { unit: 'visits', window: '12 months before the index stay' }, ''],
  ['Hb (12 months)', { unit: 'visits', window: '12 months before the index stay' }, 'hb'],
  ['Hb (0-100)', {}, 'hb'],
] as const) {
  test(`the column ${column} and a field in ${JSON.stringify(given)}`, () => {
    const own: Field = { ...field('integer'), name: 'hb', ...given }
    assert.deepEqual(
      suggestMatches([column], [own], () => [], {}),
      [match],
    )
  })
}
