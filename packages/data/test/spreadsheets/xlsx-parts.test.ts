/** What a workbook says besides its cells: how numbers are shown, and from which year its days count. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strToU8, zipSync } from 'fflate'
import { formOf, openWorkbook } from '../../src/spreadsheets/xlsx-parts.ts'

for (const [code, value, shown] of [
  ['00000000', 1, '00000001'],
  ['00000000', 123_456_789, '123456789'],
  ['000-00-0000', 12_345, '000-01-2345'],
  ['"H-"0000', 42, 'H-0042'],
  ['\\H0', 42, 'H42'],
  ['00000;[Red]-00000', 7, '00007'],
  ['00000', 1.5, '1.5'],
  ['General', 1, undefined],
  ['0', 1, undefined],
  ['0.00', 1, undefined],
  ['#,##0', 1, undefined],
  ['0" years"', 84, undefined],
  ['dd/mm/yyyy', 46_082, undefined],
  ['', 1, undefined],
] as const) {
  test(`${value} with the format ${code} is shown as ${shown ?? 'a number'}`, () => {
    assert.equal(formOf(code)?.(value), shown)
  })
}

for (const [setting, is1904] of [
  ['<workbookPr date1904="1"/>', true],
  ['<workbookPr date1904="true" codeName="a"/>', true],
  ['<workbookPr date1904="0"/>', false],
  ['', false],
] as const) {
  test(`days of a workbook with ${JSON.stringify(setting)} count from ${is1904 ? 1904 : 1900}`, () => {
    const bytes = zipSync({ 'xl/workbook.xml': strToU8(`<workbook>${setting}</workbook>`) })
    assert.equal(openWorkbook(bytes, undefined).workbook.is1904, is1904)
  })
}
