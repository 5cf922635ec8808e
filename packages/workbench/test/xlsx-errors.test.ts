/** Cells of a spreadsheet with an error, or with a formula that was never computed, are problems of the cell and not missing values. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strToU8, zipSync } from 'fflate'
import { convertCell, PLAIN_READING } from '../src/list/match/convert-cell.ts'
import { readSheet } from '../src/list/read/read-sheet.ts'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A list with an age, whose second cell is this one. */
function fileWith(cell: string): Uint8Array {
  const text = (place: string, value: string): string =>
    `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`
  const rows = `<row r="1">${text('A1', 'id')}${text('B1', 'age')}</row>
    <row r="2">${text('A2', 'p1')}${cell}</row><row r="3">${text('A3', 'p2')}<c r="B3"><v>84</v></c></row>`
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(
      `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`,
    ),
  })
}

/** A cell, what the list has of it, and whether it is a problem, a number or nothing. */
const CELLS = [
  ['<c r="B2" t="e"><v>#N/A</v></c>', '#N/A', 'notANumber'],
  ['<c r="B2" t="e"><f>A9/0</f><v>#DIV/0!</v></c>', '#DIV/0!', 'notANumber'],
  ['<c t="e" s="1" r="B2"/><c r="C2"/>', '#ERROR', 'notANumber'],
  ['<c r="B2"><f>A9+1</f></c>', '=?', 'notANumber'],
  ['<c r="B2"><f>A9+1</f><v></v></c>', '=?', 'notANumber'],
  ['<c r="B2"><f t="shared" si="0"/><v/></c>', '=?', 'notANumber'],
  // A stored value, an empty text as a value, and a cell without anything.
  ['<c r="B2"><f>A9+1</f><v>75</v></c>', 75, 75],
  ['<c r="B2" t="str"><f>""</f><v></v></c>', undefined, undefined],
  ['<c r="B2"/>', undefined, undefined],
  ['', undefined, undefined],
] as const
for (const [cell, shown, expected] of CELLS) {
  test(`${cell || 'no cell'} is ${String(expected ?? 'missing')}`, async () => {
    const { rows } = await readSheet({ name: 'list.xlsx', bytes: fileWith(cell) })
    assert.equal(rows[0]?.[1], shown)
    assert.equal(rows[1]?.[1], 84)
    const converted = convertCell({ type: 'integer' }, rows[0]?.[1], PLAIN_READING)
    assert.deepEqual(converted, expected === 'notANumber' ? { fault: expected } : { value: expected })
  })
}
