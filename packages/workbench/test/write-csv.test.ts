/** What the page writes: read back it is the same, and no spreadsheet runs it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { csvCell, csvText } from '../src/list/export/write-csv.ts'
import { csvRows } from '../src/list/read/read-csv.ts'
import type { Delimiter } from '../src/list/read/sheet.ts'

test('what is written is read back, whatever it holds but a formula or surrounding spaces', () => {
  const cell = fc
    .string({ maxLength: 8 })
    .filter((text) => text.trim() === text && !/[=+\-@]/.test(text) && !/^[\t\r\n]/.test(text))
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(table, fc.constantFrom<Delimiter>(',', ';', '\t', '|'), (rows, delimiter) => {
      const read = [...csvRows(csvText(rows, delimiter), delimiter)].map(({ cells }) => cells)
      assert.deepEqual(read, rows)
    }),
  )
})

for (const text of [
  '=1+1',
  '+1+1',
  '-1+1',
  '@cmd',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '＝1+1',
  '＋1+1',
  '－1+1',
  '＠cmd',
  '−1+1',
  '\u200b=1',
]) {
  test(`${JSON.stringify(text)} is written so that it does not run`, () => {
    assert.match(csvCell(text, ','), /^"?[\s\u200b]*'/)
  })
}

test('a formula after a semicolon does not run where semicolons separate cells', () => {
  assert.equal(csvCell('note;=cmd()', ','), "note;'=cmd()")
})

for (const text of ['-5', '+3.2', '-0,5', '2026-03-01', 'well, thanks']) {
  test(`${text} is written as it is`, () => assert.equal(csvCell(text, ';'), text))
}
