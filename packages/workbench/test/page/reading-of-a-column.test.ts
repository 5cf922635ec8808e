/** How the cells of a column are read: suggested where the column leaves no doubt, and stopped where M may be a woman. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLAIN_READING } from '../../src/list/match/convert-cell.ts'
import {
  doubtfulValues,
  hasAmbiguous,
  hasCommas,
  suggestReading,
  valuesOf,
} from '../../src/list/match/suggest-reading.ts'
import type { Sheet } from '../../src/list/read/sheet.ts'
import type { Field } from '../../src/shapes/fields.ts'

const sheetOf = (column: string, cells: readonly string[], kind: Sheet['kind'] = 'csv'): Sheet =>
  ({ kind, columns: [column], rows: cells.map((cell) => [cell]) }) as unknown as Sheet
const field = (of: object): Field => of as Field
const SEX = field({
  name: 'sex',
  type: 'string',
  values: ['F', 'M'],
  valueMeanings: { F: 'female', M: 'male' },
})
const LAB = field({ name: 'haemoglobin', type: 'number', unit: 'g/dL', otherUnits: { 'g/L': 10 } })
const DAY = field({ name: 'date', type: 'date' })

/** The name of the column, its texts, and those that are doubtful. */
const SEXES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['sex', ['F', 'M'], []],
  ['sex', ['M'], []],
  ['sex', ['H', 'M'], ['M']],
  ['sex', ['V', 'M'], ['M']],
  ['sex', ['hombre', 'M', 'm'], ['M', 'm']],
  ['sex', ['Mulher', 'M'], ['M']],
  ['sex', ['H', 'M', 'F'], ['M']],
  ['Sexo', ['M'], ['M']],
  ['sexe', ['M', 'D'], ['M']],
  ['Género', ['M', 'X'], ['M']],
  ['Sexo', ['F', 'M'], []],
  ['Sexo', ['hombre', 'mujer'], []],
]

for (const [column, texts, doubtful] of SEXES) {
  test(`${column} with ${texts.join(', ')}: ${doubtful.join(', ') || 'nothing'} is doubtful`, () =>
    assert.deepEqual(doubtfulValues(sheetOf(column, texts), 0, SEX, PLAIN_READING), doubtful))
}

test('what the reader has said is no longer doubtful, and other fields never are', () => {
  const said = { ...PLAIN_READING, values: { M: 'F' } }
  assert.deepEqual(doubtfulValues(sheetOf('sexo', ['H', 'M']), 0, SEX, said), [])
  assert.deepEqual(doubtfulValues(sheetOf('sexo', ['H', 'M']), 0, LAB, PLAIN_READING), [])
})

test('a decimal comma and a form of dates are suggested where a column shows them', () => {
  assert.equal(suggestReading(sheetOf('hb', ['12,5', '9,75']), 0, LAB).decimal, 'comma')
  assert.equal(suggestReading(sheetOf('hb', ['12.5', '9.75']), 0, LAB).decimal, '')
  assert.equal(suggestReading(sheetOf('day', ['25/12/2025', '03/11/2025']), 0, DAY).dates, 'DD/MM/YYYY')
  assert.equal(suggestReading(sheetOf('day', ['25-12-2025']), 0, DAY).dates, '')
})

test('the unit is that of the name of the column, else the field’s own', () => {
  assert.equal(suggestReading(sheetOf('Hb (g/L)', ['125']), 0, LAB).unit, 'g/L')
  assert.equal(suggestReading(sheetOf('Hb', ['12']), 0, LAB).unit, 'g/dL')
  assert.deepEqual(suggestReading(sheetOf('Hb', ['12']), 0, undefined), PLAIN_READING)
})

test('values of JSON are sent as they are', () => {
  const { decimal, dates, values } = suggestReading(sheetOf('Hb', ['12,5'], 'json'), 0, LAB)
  assert.deepEqual({ decimal, dates, values }, { decimal: '', dates: '', values: PLAIN_READING.values })
})

test('words for a code are suggested, a single letter never is', () => {
  const { values } = suggestReading(sheetOf('sex', ['woman', 'Varón', 'H', 'M', 'F']), 0, SEX)
  assert.deepEqual(values, { woman: 'F', Varón: 'M' })
})

test('the different texts of a column: as many as a reader can look through, and no more', () => {
  const texts = Array.from({ length: 25 }, (_each, at) => String(at))
  assert.deepEqual(valuesOf(sheetOf('c', ['b', ' a ', 'b', '']), 0), ['b', 'a'])
  assert.equal(valuesOf(sheetOf('c', texts.slice(0, 23)), 0)?.length, 23)
  assert.equal(valuesOf(sheetOf('c', texts.slice(0, 24)), 0)?.length, 24)
  assert.equal(valuesOf(sheetOf('c', texts), 0), undefined)
})

const NUMBERS = [
  ['1.000', true, false],
  ['12.5', false, false],
  ['12,5', false, true],
  ['1,000', true, true],
  ['1000', false, false],
  ['high', false, false],
] as const

for (const [text, isAmbiguous, hasComma] of NUMBERS) {
  test(`${text} ${isAmbiguous ? 'can' : 'cannot'} be read in two ways`, () => {
    assert.equal(hasAmbiguous(sheetOf('hb', ['9', text]), 0, LAB), isAmbiguous)
    assert.equal(hasCommas(sheetOf('hb', ['9', text]), 0), hasComma)
  })
}
