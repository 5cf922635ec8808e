/** A spreadsheet that would stop its reader, or take the memory, is refused or read as fast as any other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { around, atLimit } from '../../../../test/support/limits.ts'
import { strFromU8, strToU8, zipSync } from 'fflate'
import { readXlsxRows } from '../../src/spreadsheets/read-xlsx.ts'
import { SpreadsheetFault, type TableRow } from '../../src/spreadsheets/spreadsheet.ts'
import { areTagsWellFormed } from '../../src/spreadsheets/well-formed.ts'
import {
  MOST_CELLS,
  MOST_PARTS,
  MOST_UNPACKED_BYTES,
  formOf,
  openWorkbook,
} from '../../src/spreadsheets/xlsx-parts.ts'

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
  readonly strings?: string
  /** How many parts the workbook names. */
  readonly named?: number
}

/** A file with one sheet. `sheet` is the whole part of the sheet, where it shall not be well-formed. */
function fileOf({ rows = LIST, sheet, name = 'a', styles, strings, named = 1 }: Parts): Uint8Array {
  const target = (id: number, kind: string, path: string): string =>
    `<Relationship Id="r${id}" Type="${OFFICE}/${kind}" Target="${path}"/>`
  const texts = Object.entries({ styles, sharedStrings: strings }).filter(([, text]) => text !== undefined)
  const targets = [
    target(1, 'worksheet', 'worksheets/sheet1.xml'),
    ...texts.map(([kind], at) => target(at + 2, kind, `${kind}.xml`)),
  ]
  while (targets.length < named)
    targets.push(target(targets.length + 1, 'worksheet', `worksheets/sheet${targets.length + 1}.xml`))
  const parts: Record<string, Uint8Array> = {
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${name}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(`<Relationships>${targets.join('')}</Relationships>`),
    'xl/worksheets/sheet1.xml': strToU8(
      sheet ?? `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`,
    ),
  }
  for (const [kind, text = ''] of texts) parts[`xl/${kind}.xml`] = strToU8(text)
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

atLimit('bytes of a spreadsheet, unpacked', around(MOST_UNPACKED_BYTES), (total, isRead) =>
  expectRead(fileUnpackingTo(total), isRead),
)

/** A sheet of a numbered last cell, where the one in the corner alone decides. */
const cornerAt = (row: number, letters: string): string =>
  `<row r="1"><c r="A1"><v>1</v></c></row><row r="${row}"><c r="${letters}${row}"><v>1</v></c></row>`
/** Of 100 columns. */
const MOST_ROWS = MOST_CELLS / 100

atLimit('cells in the rectangle of a spreadsheet', around(MOST_ROWS), (row, isRead) =>
  expectRead(fileOf({ rows: cornerAt(row, 'CV') }), isRead),
)

for (const [label, rows] of [
  ['the last corner', cornerAt(1_048_576, 'XFD')],
  ['a last row without a cell', `${LIST}<row r="99999999"></row>`],
  ['a far row whose cells have no number', `<row r="1048576">${'<c><v>1</v></c>'.repeat(10)}</row>`],
  ['a numbered cell in a row without a number', '<row><c r="XFD1048576"><v>1</v></c></row>'],
  ['small letters', cornerAt(1_048_576, 'xfd')],
] as const) {
  test(`a sheet with ${label} is too large`, async () => {
    await expectRead(fileOf({ rows }), false)
  })
}

/** Processor time, so that a busy machine changes nothing. Each of the files below takes minutes where every tag is compared with all. */
const MOST_SECONDS = 5
const MANY = 20_000

async function inTime(bytes: Uint8Array): Promise<unknown> {
  const before = process.cpuUsage()
  const read = await readXlsxRows(bytes).catch((error: unknown) => error)
  const { user, system } = process.cpuUsage(before)
  assert.ok((user + system) / 1e6 < MOST_SECONDS, `${(user + system) / 1e6} s`)
  return read
}

for (const [label, parts] of [
  ['rows that never end', { sheet: '<row hidden '.repeat(MANY) }],
  ['rows that never end inside of a sheet', { rows: '<row hidden '.repeat(MANY) }],
  ['cells that never end', { sheet: '<c s="1" '.repeat(MANY) }],
  ['tags with an open quote', { sheet: '<row hidden="1'.repeat(MANY) }],
  ['merged cells that never end', { sheet: '<mergeCell ref="A1:A2'.repeat(MANY) }],
  ['an attribute without a value', { sheet: `<mergeCell ${'a'.repeat(MANY)}>` }],
  ['many attributes without a value', { sheet: `<row ${'a '.repeat(MANY)}>` }],
  ['styles that never end', { styles: '<cellXfs '.repeat(MANY) }],
  ['shared texts that never end', { strings: '<si '.repeat(MANY) }],
  ['a comment that never ends', { sheet: '<!--'.repeat(MANY) }],
  ['a long name before a colon', { sheet: `<${'a'.repeat(MANY)}` }],
] as const) {
  test(`a file with ${label} is refused after one pass`, async () => {
    const fault = await inTime(fileOf(parts))
    assert.ok(fault instanceof SpreadsheetFault)
    assert.equal(fault.reason, 'damaged')
  })
}

for (const [label, sheet] of [
  ['an attribute without a value', `<worksheet xmlns="${MAIN}"><sheetData x>${LIST}</sheetData></worksheet>`],
  ['an open tag at its end', `<worksheet xmlns="${MAIN}"><sheetData>${LIST}</sheetData></worksheet><a`],
  [
    'two attributes in one',
    `<worksheet xmlns="${MAIN}"><sheetData x="1"y="2">${LIST}</sheetData></worksheet>`,
  ],
] as const) {
  test(`a sheet with ${label} is not read, although the reader of cells would read it`, async () => {
    const fault = await inTime(fileOf({ sheet }))
    assert.ok(fault instanceof SpreadsheetFault)
    assert.equal(fault.reason, 'damaged')
  })
}

async function expectParts(parts: number, isRead: boolean): Promise<void> {
  const read = await inTime(fileOf({ named: parts }))
  if (isRead) assert.ok(!(read instanceof Error), String(read))
  else assert.equal((read as SpreadsheetFault).reason, 'tooLarge')
}

atLimit('parts of a spreadsheet', around(MOST_PARTS), expectParts)

test('a workbook that names very many parts is too large', () => expectParts(50 * MOST_PARTS, false))

test('a format of more letters than programs take leaves numbers as they are', async () => {
  const styles = `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'0'.repeat(200_000)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`
  const rows = Array.from(
    { length: 500 },
    (_, at) => `<row r="${at + 1}"><c r="A${at + 1}" s="0"><v>1</v></c></row>`,
  )
  const read = (await inTime(fileOf({ styles, rows: rows.join('') }))) as {
    readonly rows: readonly TableRow[]
  }
  assert.deepEqual(read.rows[0]?.cells, [1])
  assert.equal(formOf('0'.repeat(255))?.(1).length, 255)
  assert.equal(formOf('0'.repeat(256)), undefined)
})

for (const [xml, isWell] of [
  ['', true],
  ['<a/>', true],
  [`<?xml version="1.0"?><a b="1" c = '>'><!-- <b --><x:d\n e="2"\t/><![CDATA[ <x ]]>text</a>`, true],
  ['<a', false],
  ['<a><', false],
  ['<a b>', false],
  ['<a b=1>', false],
  ['<a b="1"c="2">', false],
  ['<a b="<">', false],
  ['<a <b>', false],
  ['<!-- -', false],
  ['<![CDATA[', false],
  ['<?', false],
  ['<!DOCTYPE a>', false],
] as const) {
  test(`the tags of ${JSON.stringify(xml)} are ${isWell ? '' : 'not '}well-formed`, () => {
    assert.equal(areTagsWellFormed(xml), isWell)
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
  const reading = readXlsxRows(bytes)
  if (isRead) {
    assert.notEqual((await reading).rows.length, 0)
  } else {
    await assert.rejects(reading, (error) => error instanceof SpreadsheetFault && error.reason === 'tooLarge')
  }
}
