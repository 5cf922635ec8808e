/** What was typed into a field, as the value that is sent, without a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldIn, inOwnUnit, readDay, readInput } from '../../src/patient/form/read-input.ts'
import type { Field, Value } from '../../src/shapes/fields.ts'

const field = (of: Partial<Field>): Field => ({ name: 'f', type: 'number', ...of }) as Field

/** A type, a language, what was typed, and what is sent. */
const TYPED: readonly (readonly [Field['type'], string, string, Value | undefined])[] = [
  ['integer', 'en', ' 84 ', 84],
  ['integer', 'en', '', undefined],
  ['integer', 'en', '   ', undefined],
  ['number', 'en', '12.5', 12.5],
  ['number', 'en', '-0.5', -0.5],
  ['number', 'en', '+3', 3],
  ['number', 'en', '12,5', '12,5'],
  ['number', 'en', '1,000', '1,000'],
  ['number', 'en', '1.000', 1],
  ['number', 'es', '12,5', 12.5],
  ['number', 'ca', '12,5', 12.5],
  ['number', 'pt', '12,5', 12.5],
  ['number', 'es', '12.5', 12.5],
  ['number', 'es', '1.000', '1.000'],
  ['number', 'es', '999.000', '999.000'],
  ['number', 'es', '0.125', 0.125],
  ['number', 'es', '1000.125', 1000.125],
  ['number', 'es', '1.000,5', '1.000,5'],
  ['number', 'en', '1e3', '1e3'],
  ['number', 'en', '.5', '.5'],
  ['number', 'en', '5.', '5.'],
  ['number', 'en', 'twelve', 'twelve'],
  ['boolean', 'en', 'true', true],
  ['boolean', 'en', 'false', false],
  ['boolean', 'en', 'yes', 'yes'],
  ['string', 'en', ' F ', 'F'],
  ['date', 'en', '3/1/2026', '03-01-2026'],
]

for (const [type, language, typed, sent] of TYPED) {
  test(`${type}, ${language}: "${typed}" is sent as ${JSON.stringify(sent)}`, () => {
    assert.deepEqual(readInput(field({ type }), typed, language), sent)
  })
}

const DAYS = [
  ['2026-3-1', '01-03-2026'],
  ['2026-03-01', '01-03-2026'],
  ['1-3-2026', '01-03-2026'],
  ['1/3/2026', '01-03-2026'],
  ['01.03.2026', '01-03-2026'],
  // Neither is guessed at: the service names the problem.
  ['1/3/26', '1/3/26'],
  ['March 1', 'March 1'],
  ['20260301', '20260301'],
] as const

for (const [typed, sent] of DAYS)
  test(`the day ${typed} is sent as ${sent}`, () => assert.equal(readDay(typed), sent))

const HAEMOGLOBIN = field({
  unit: 'g/dL',
  otherUnits: { 'g/L': 10, 'mmol/L': 0.6206 },
  minimum: 2,
  maximum: 25,
})

const CONVERTED: readonly (readonly [Value | undefined, string | undefined, Value | undefined])[] = [
  [120, 'g/L', 12],
  [7.4, 'mmol/L', 11.924],
  [12, 'g/dL', 12],
  [12, undefined, 12],
  ['high', 'g/L', 'high'],
  [undefined, 'g/L', undefined],
]

for (const [value, unit, own] of CONVERTED) {
  test(`${String(value)} in ${unit ?? 'no unit'} is ${String(own)} in g/dL`, () =>
    assert.equal(inOwnUnit(HAEMOGLOBIN, value, unit), own))
}

test('a field in another unit has its limits and values in that unit', () => {
  const shown = fieldIn({ ...HAEMOGLOBIN, values: [2, 25, 'low'] }, 'g/L')
  assert.deepEqual(
    [shown.unit, shown.minimum, shown.maximum, shown.values],
    ['g/L', 20, 250, [20, 250, 'low']],
  )
})

test('a field in its own unit, or in one that it does not know, stays as it is', () => {
  for (const unit of [undefined, 'g/dL', 'stone']) assert.equal(fieldIn(HAEMOGLOBIN, unit), HAEMOGLOBIN)
})
