/** How the page reads cells and matches columns: only what can be read in one way is converted. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { convertCell, PLAIN_READING, type Reading } from '../src/list/match/convert-cell.ts'
import { suggestMatches } from '../src/list/match/match-columns.ts'
import { inOwnMeasure, statedMeasure } from '../src/list/match/stated-measure.ts'
import type { Field } from '../src/shapes/fields.ts'

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
const CASES = JSON.parse(
  readFileSync(new URL('../../../test/support/csv-cases.json', import.meta.url), 'utf8'),
) as {
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
  ['date', 46_082, { dates: 'spreadsheet' }, { value: '01-03-2026' }],
  ['date', 46_082.75, { dates: 'spreadsheet' }, { value: '01-03-2026' }],
  ['date', 44_620, { dates: 'spreadsheet1904' }, { value: '01-03-2026' }],
  ['date', '44620', { dates: 'spreadsheet1904' }, { value: '01-03-2026' }],
  ['date', 46_082, {}, { fault: 'notADate' }],
  ['string', 1, { values: { 1: 'M', 2: 'F' } }, { value: 'M' }],
  ['string', 3, { values: { 1: 'M', 2: 'F' } }, { value: '3' }],
  ['boolean', 2, { values: { 1: 'true', 2: 'false' } }, { value: false }],
  ['string', 'constructor', {}, { value: 'constructor' }],
  ['integer', '', {}, { value: undefined }],
  ['integer', 84, {}, { value: 84 }],
] as const) {
  test(`the cell ${JSON.stringify(cell)} of a field of type ${type}`, () => {
    assert.deepEqual(convertCell(field(type), cell, { ...PLAIN_READING, ...reading }), expected)
  })
}

test('headers with units in brackets are matched', () => {
  const named = (name: string): Field => ({ ...field('integer'), name })
  const aliases = (name: string): readonly string[] => (name === 'stayDays' ? ['los'] : [])
  const columns = ['AGE (yrs)', 'LoS (days)', 'MRN']
  assert.deepEqual(suggestMatches(columns, [named('age'), named('stayDays')], aliases, {}), [
    'age',
    'stayDays',
    '@identifier',
  ])
})

const YEAR = { unit: 'visits', window: '12 months before the index stay' }
const HALF = { unit: 'visits', window: '6 months before the index stay' }
const AGE = { unit: 'years' }
const STAY = { unit: 'days', window: 'the index stay' }

/** What the name of a column states in place of the field's own unit or period, and the unit that it can be converted from. */
for (const [column, given, said, from] of [
  ['Hb (g/dL)', { unit: 'g/dL' }, undefined, ''],
  ['Hb (mmol/L)', { unit: 'g/dL' }, 'mmol/L', ''],
  ['Hb (mmol/L)', { unit: 'g/dL', otherUnits: { 'mmol/L': 0.62 } }, undefined, ''],
  ['Hb g/l', { unit: 'g/dL' }, 'g/l', ''],
  ['Hb (%)', { unit: 'g/dL' }, '%', ''],
  ['Hb (μmol/l)', { unit: 'µmol/L' }, undefined, ''],
  ['Hb (0-100)', {}, undefined, ''],
  ['LoS (horas)', STAY, 'hour', ''],
  ['LoS (h)', STAY, 'hour', ''],
  ['LoS (días)', STAY, undefined, ''],
  ['stayDays', STAY, undefined, ''],
  ['Días de estancia', STAY, undefined, ''],
  ['Length of stay (weeks)', STAY, 'week', 'week'],
  ['estancia_semanas', STAY, 'week', 'week'],
  ['TUG (min)', { unit: 's' }, 'minute', 'minute'],
  ['Age (mo)', AGE, 'month', 'month'],
  ['Edad en meses', AGE, 'month', 'month'],
  ['ageMonths', AGE, 'month', 'month'],
  ['Age (days)', AGE, 'day', ''],
  ['AGE (yrs)', AGE, undefined, ''],
  ['Edad (a)', AGE, undefined, ''],
  ['Age at the day of admission (y)', AGE, undefined, ''],
  ['Visits (6 meses)', YEAR, '6 month', ''],
  ['Visits (12 months)', YEAR, undefined, ''],
  ['Visits 52 weeks', YEAR, undefined, ''],
  ['Visits (365 d)', YEAR, undefined, ''],
  ['Visits last year', YEAR, undefined, ''],
  ['Ingresos (5 años)', YEAR, '5 year', ''],
  ['Emergency visits (30 days)', YEAR, '30 day', ''],
  ['ed_visits_6m', YEAR, '6 month', ''],
  ['edVisits6Months', HALF, undefined, ''],
  ['Visits (180 days)', HALF, undefined, ''],
  ['Visits a week', YEAR, '1 week', ''],
  ['Age (decades)', AGE, 'decades', ''],
  ['Age years (months)', AGE, 'month', 'month'],
  ['Age in years, months', AGE, 'month', 'month'],
  ['Age (completed years)', AGE, undefined, ''],
  ['Age (at admission)', AGE, 'at admission', ''],
  ['Length of stay (nights)', STAY, 'nights', ''],
  ['Dias estancia (semanas)', STAY, 'week', 'week'],
  ['Dias de estancia (horas)', STAY, 'hour', ''],
  ['stayDays (weeks)', STAY, 'week', 'week'],
  ['Visits (lifetime)', YEAR, 'lifetime', ''],
  ['Visits (ever)', YEAR, 'ever', ''],
  ['Visits (quarter)', YEAR, 'quarter', ''],
  ['Visits (fortnight)', YEAR, 'fortnight', ''],
  ['Urgencias (semestre)', YEAR, 'semestre', ''],
  ['Urgencias (último trimestre)', YEAR, 'último trimestre', ''],
  ['Ingresos (dos años)', YEAR, '2 year', ''],
  ['Visits (two years)', YEAR, '2 year', ''],
  ['Visits (24 and 12 months)', YEAR, '24 and 12 months', ''],
  ['Visits 24 months, 12 months', YEAR, '24 month', ''],
  ['Visits (since 2015)', YEAR, 'since 2015', ''],
  ['Visits (6-12 months)', YEAR, '6-12 months', ''],
  ['Visits 6 months (12 months)', YEAR, undefined, ''],
  ['Visits ½ año', YEAR, '0.5 year', ''],
  ['Visits (1/2 año)', YEAR, '0.5 year', ''],
  ['Visits ½ año', HALF, undefined, ''],
  ['Visits (last year)', YEAR, undefined, ''],
  ['Visits (últimos 12 meses)', YEAR, undefined, ''],
  ['Visits (visits)', YEAR, undefined, ''],
  ['Hb (lab)', { unit: 'g/dL' }, 'lab', ''],
  ['Barthel (0-100)', { unit: 'points' }, undefined, ''],
] as const) {
  test(`the column ${column} and a field in ${JSON.stringify(given)}`, () => {
    const stated = statedMeasure(column, { ...field('integer'), ...given })
    const text =
      typeof stated?.said === 'object'
        ? `${stated.said.count === 0 ? '' : `${stated.said.count} `}${stated.said.unit}`
        : stated?.said
    assert.deepEqual([text, stated?.from ?? ''], [said, from])
  })
}

for (const [unit, from, value, own] of [
  ['years', 'month', 1019, 84],
  ['years', 'month', 1008, 84],
  ['days', 'week', 2, 14],
  ['days', 'week', 1.5, 10.5],
  ['s', 'minute', 2, 120],
  ['years', 'own', 84, 84],
  ['years', '', 84, 84],
] as const) {
  test(`${value} ${from} in ${unit}`, () => {
    assert.equal(inOwnMeasure({ ...field('integer'), unit }, value, from), own)
  })
}

test('a column that states another period is suggested after one that fits', () => {
  const visits: Field = { ...field('integer'), name: 'visits', ...YEAR }
  const suggest = (...columns: readonly string[]): readonly string[] =>
    suggestMatches(columns, [visits], () => [], {})
  assert.deepEqual(suggest('Visits (5 years)'), ['visits'])
  assert.deepEqual(suggest('Visits (5 years)', 'Visits (1 year)'), ['', 'visits'])
})

for (const [column, match] of [
  ['Nº Historia', '@identifier'],
  ['N.º de historia clínica', '@identifier'],
  ['Número de historia', '@identifier'],
  ['NHC', '@identifier'],
  ['MRN', '@identifier'],
  ['Record number', '@identifier'],
  ['Medical record no.', '@identifier'],
  ['Patient ID', '@identifier'],
  ['Number', ''],
  ['constructor', ''],
  ['__proto__', ''],
  ['toString', ''],
  ['History of falls', ''],
] as const) {
  test(`the column ${column} is suggested as ${JSON.stringify(match)}`, () => {
    assert.deepEqual(
      suggestMatches([column], [], () => [], {}),
      [match],
    )
  })
}
