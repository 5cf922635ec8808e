/** The median of a column names the unit that its numbers are probably in, as the service's own rule does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFields } from '@patient-risk/catalog'
import { likelyUnit } from 'patient-risk-engine'
import { PLAIN_READING } from '../src/list/match/convert-cell.ts'
import { unitHint } from '../src/list/match/likely-unit.ts'
import { suggestMatches, unitInName } from '../src/list/match/match-columns.ts'
import { readSheet } from '../src/list/read/read-sheet.ts'
import type { Field } from '../src/shapes/fields.ts'
import { testCatalog } from '../../../test/support/serve.ts'

const CATALOG = testCatalog()
const MODEL = CATALOG.models.get('hospital') ?? [...CATALOG.models.values()][0]
assert.ok(MODEL !== undefined)
const FIELDS = describeFields(CATALOG, MODEL.definition).fields as readonly Field[]
const fieldOf = (name: string): Field => {
  const field = FIELDS.find((each) => each.name === name)
  assert.ok(field !== undefined)
  return field
}

async function sheetOf(values: readonly (number | string)[]): Promise<Awaited<ReturnType<typeof readSheet>>> {
  const text = ['id,x', ...values.map((value, row) => `${row},${value}`)].join('\n')
  return readSheet({ name: 'list.csv', bytes: new TextEncoder().encode(text) })
}

/** Field · unit of the column · its median · the likely unit, or none. */
const MEDIANS = [
  ['haemoglobin', '', 12.1, undefined],
  ['haemoglobin', '', 7.6, 'mmol/L'],
  ['haemoglobin', '', 121, 'g/L'],
  ['haemoglobin', 'mmol/L', 7.6, undefined],
  ['haemoglobin', 'mmol/L', 12.1, 'g/dL'],
  ['creatinine', '', 1.1, undefined],
  ['creatinine', '', 95, 'µmol/L'],
] as const

for (const [name, unit, median, likely] of MEDIANS) {
  test(`a median ${name} of ${median} in a column of ${unit || 'its own unit'}: ${likely ?? 'no doubt'}`, async () => {
    const field = fieldOf(name)
    const values = Array.from({ length: 51 }, (_row, index) => ((median * (50 + index)) / 75).toFixed(4))
    const reading = { ...PLAIN_READING, decimal: 'point' as const, unit }
    assert.equal(unitHint(await sheetOf(values), 1, field, reading)?.likely, likely)
    const units = CATALOG.units.get(name)
    assert.ok(units !== undefined)
    const received = unit === '' ? units.unit : unit
    const { times = 1, per = 1 } = units.others[received] ?? {}
    assert.equal(likelyUnit(units, received, (median * times) / per), likely, 'the same as the service')
  })
}

test('49 numbers name no unit, 50 do; empty cells and words do not count', async () => {
  const numbers = (count: number): readonly string[] => [...Array<string>(count).fill('7.6'), '', 'low', '0']
  assert.equal(unitHint(await sheetOf(numbers(49)), 1, fieldOf('haemoglobin'), PLAIN_READING), undefined)
  const hint = unitHint(await sheetOf(numbers(50)), 1, fieldOf('haemoglobin'), PLAIN_READING)
  assert.deepEqual(hint, { values: 50, median: 7.6, received: 'g/dL', likely: 'mmol/L' })
})

test('a field without units has no doubt', async () => {
  assert.equal(unitHint(await sheetOf(Array(60).fill(900)), 1, fieldOf('age'), PLAIN_READING), undefined)
})

test('a unit in the name of a column is the unit of the column where it can be converted', () => {
  const field = fieldOf('haemoglobin')
  for (const [column, unit, match] of [
    ['Haemoglobin (mmol/L)', 'mmol/L', 'haemoglobin'],
    ['Haemoglobin [g/dL]', '', 'haemoglobin'],
    // Suggested with a doubt: see the table of stated measures.
    ['Haemoglobin (%)', '', 'haemoglobin'],
  ] as const) {
    assert.equal(unitInName(column, field), unit)
    assert.deepEqual(
      suggestMatches([column], [field], () => [], {}),
      [match],
    )
  }
})
