/** Numbers of a spreadsheet are numbers whatever the options say of text, and its texts are read as those of CSV. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HEAD, patient, problemsOf, scored } from './score-xlsx.ts'
import { xlsxOf } from './xlsx-file.ts'

test('--missing takes an error for a missing value where that is said', async () => {
  const bytes = xlsxOf([HEAD, patient(1, 7, [' t="e"', '<v>#N/A</v>'])])
  assert.deepEqual((await scored(bytes)).flatMap(problemsOf), ['haemoglobin: not a number'])
  assert.deepEqual((await scored(bytes, { missing: ['#N/A'] })).flatMap(problemsOf), [])
})

for (const decimal of ['point', 'comma', undefined] as const) {
  test(`numbers of a spreadsheet are numbers, with ${decimal ?? 'no'} decimal mark stated`, async () => {
    const rows = [12.5, 12.125, 1234.5].map((value, at) => patient(at + 1, 7, value))
    const found = await scored(xlsxOf([HEAD, ...rows]), { decimal })
    assert.deepEqual(found.map(problemsOf), [[], [], ['haemoglobin: out of range']])
  })
}

test('a text of a spreadsheet is read as one of CSV', async () => {
  const bytes = xlsxOf([HEAD, patient(1, 7, '12,5')])
  assert.deepEqual((await scored(bytes)).flatMap(problemsOf), ['haemoglobin: not a number'])
  assert.deepEqual((await scored(bytes, { decimal: 'comma' })).flatMap(problemsOf), [])
})
