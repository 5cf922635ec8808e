/** A spreadsheet that would stop the page, or take its memory, is refused by a sentence or read as fast as any other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strFromU8, strToU8, zipSync } from 'fflate'
import { readSheet } from '../src/list/read/read-sheet.ts'
import { SheetFault } from '../src/list/read/sheet.ts'
import { MOST_CELLS, MOST_UNPACKED_BYTES, openWorkbook } from '../src/list/read/xlsx-parts.ts'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const LIST = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>'

const PICTURE = 'xl/media/image1.png'
/** How an entry of the directory of a ZIP archive begins, and where it has the size of its part. */
const DIRECTORY_ENTRY = 0x02014b50
const UNPACKED_SIZE = 24

interface Parts {
  readonly rows?: string
  readonly sheet?: string
  readonly name?: string
  readonly styles?: string
}

/** A file with one sheet. `sheet` is the whole part of the sheet, where it shall not be well-formed. */
function fileOf({ rows = LIST, sheet, name = 'a', styles }: Parts): Uint8Array {
  const parts: Record<string, Uint8Array> = {
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${name}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(
      sheet ?? `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`,
    ),
  }
  if (styles !== undefined) parts['xl/styles.xml'] = strToU8(styles)
  return zipSync({ ...parts, [PICTURE]: new Uint8Array(9) })
}

/** A file whose directory says that all parts together unpack to so many bytes: the picture makes up for the others. */
function fileUnpackingTo(total: number): Uint8Array {
  const bytes = fileOf({})
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  let others = 0
  let picture = 0
  for (let at = 0; at + 46 <= bytes.length; at++) {
    if (view.getUint32(at, true) !== DIRECTORY_ENTRY) continue
    const nameLength = view.getUint16(at + 28, true)
    const name = strFromU8(bytes.subarray(at + 46, at + 46 + nameLength))
    if (name === PICTURE) picture = at + UNPACKED_SIZE
    else others += view.getUint32(at + UNPACKED_SIZE, true)
  }
  view.setUint32(picture, total - others, true)
  return bytes
}

for (const [label, total, isRead] of [
  ['one byte below', MOST_UNPACKED_BYTES - 1, true],
  ['at', MOST_UNPACKED_BYTES, true],
  ['one byte above', MOST_UNPACKED_BYTES + 1, false],
] as const) {
  test(`a file that unpacks to ${label} the limit is ${isRead ? 'read' : 'too large'}`, async () => {
    await expectRead(fileUnpackingTo(total), isRead)
  })
}

/** A sheet of a numbered last cell, where the one in the corner alone decides. */
const cornerAt = (row: number, letters: string): string =>
  `<row r="1"><c r="A1"><v>1</v></c></row><row r="${row}"><c r="${letters}${row}"><v>1</v></c></row>`
const below = MOST_CELLS / 100

for (const [label, rows, isRead] of [
  ['100 columns, one row below the limit', cornerAt(below - 1, 'CV'), true],
  ['100 columns, at the limit', cornerAt(below, 'CV'), true],
  ['100 columns, one row above the limit', cornerAt(below + 1, 'CV'), false],
  ['the last corner', cornerAt(1_048_576, 'XFD'), false],
  ['a last row without a cell', `${LIST}<row r="99999999"></row>`, false],
  ['a far row whose cells have no number', `<row r="1048576">${'<c><v>1</v></c>'.repeat(10)}</row>`, false],
  ['a numbered cell in a row without a number', '<row><c r="XFD1048576"><v>1</v></c></row>', false],
  ['small letters', cornerAt(1_048_576, 'xfd'), false],
] as const) {
  test(`a sheet with ${label} is ${isRead ? 'read' : 'too large'}`, async () => {
    await expectRead(fileOf({ rows }), isRead)
  })
}

// Each of these takes minutes where tags are looked for up to the end of the file.
const MANY = 100_000
for (const [label, parts] of [
  ['rows that never end', { sheet: '<row hidden '.repeat(MANY) }],
  ['cells that never end', { sheet: '<c s="1" '.repeat(MANY) }],
  ['tags with an open quote', { sheet: '<row hidden="1'.repeat(MANY) }],
  ['merged cells that never end', { sheet: '<mergeCell ref="A1:A2'.repeat(MANY) }],
  ['an attribute without a value', { sheet: `<mergeCell ${'a'.repeat(MANY)}>` }],
  ['styles that never end', { styles: '<cellXfs '.repeat(MANY) }],
  ['a long name before a colon', { sheet: `<${'a'.repeat(MANY)}` }],
] as const) {
  test(`a file with ${label} is looked through in one pass`, { timeout: 60_000 }, () => {
    assert.deepEqual(openWorkbook(fileOf(parts), undefined).workbook.hiddenLines, [])
  })
}

for (const [written, shown] of [
  ['&#x10FFFF;', '\u{10FFFF}'],
  ['&#x110000;', '&#x110000;'],
  ['&#1114112;', '&#1114112;'],
  ['&#xzz;', '&#xzz;'],
  ['&#65;&amp;&odd;', 'A&&odd;'],
] as const) {
  test(`a sheet named ${written} is shown as ${JSON.stringify(shown)}`, () => {
    assert.equal(openWorkbook(fileOf({ name: written }), undefined).workbook.sheet, shown)
  })
}

async function expectRead(bytes: Uint8Array, isRead: boolean): Promise<void> {
  const reading = readSheet({ name: 'list.xlsx', bytes })
  if (isRead) {
    assert.notEqual((await reading).rows.length, 0)
  } else {
    await assert.rejects(reading, (error) => error instanceof SheetFault && error.reason === 'xlsxTooLarge')
  }
}
