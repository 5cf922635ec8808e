/** How the page reads files: CSV by the rules of the command line, JSON and NDJSON record by record. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { strToU8, zipSync } from 'fflate'
import { findDelimiter } from '../src/list/read/read-csv.ts'
import { readSheet } from '../src/list/read/read-sheet.ts'
import { repeatedKeys } from '../src/list/read/repeated-keys.ts'
import { type Delimiter, SheetFault } from '../src/list/read/sheet.ts'

/** The rules that the command line follows too. */
const CASES = JSON.parse(
  readFileSync(new URL('../../../test/support/csv-cases.json', import.meta.url), 'utf8'),
) as {
  readonly tables: readonly TableCase[]
}

interface TableCase {
  readonly name: string
  readonly text?: string
  readonly base64?: string
  readonly options?: { readonly delimiter?: Delimiter; readonly encoding?: 'utf-8' | 'windows-1252' }
  readonly encoding?: string
  readonly delimiter?: string
  readonly header?: readonly string[]
  readonly rows?: readonly { readonly line: number; readonly cells: readonly string[] }[]
  readonly faults?: readonly { readonly line: number; readonly reason: string }[]
  readonly error?: { readonly line?: number; readonly reason: string }
}

for (const each of CASES.tables) {
  test(`csv: ${each.name}`, async () => {
    const bytes = Buffer.from(each.base64 ?? each.text ?? '', each.base64 === undefined ? 'utf8' : 'base64')
    const read = readSheet({ name: 'list', bytes }, each.options ?? {})
    if (each.error !== undefined) {
      const { reason, line } = each.error
      await assert.rejects(
        read,
        (error) => error instanceof SheetFault && error.reason === reason && error.line === line,
      )
      return
    }
    if (each.rows?.length === 0) {
      await assert.rejects(read, (error) => error instanceof SheetFault && error.reason === 'noRows')
      return
    }
    const { columns, rows, lines, rejected, delimiter, encoding } = await read
    assert.deepEqual(columns, each.header)
    assert.equal(delimiter, each.delimiter)
    if (each.encoding !== undefined) assert.equal(encoding, each.encoding)
    const scored = rows
      .map((cells, row) => ({ line: lines[row], cells, row }))
      .filter(({ row }) => !rejected.has(row))
    assert.deepEqual(
      scored.map(({ line, cells }) => ({ line, cells })),
      each.rows,
    )
    assert.deepEqual(
      [...rejected].map(([row, { reason }]) => ({ line: lines[row], reason })),
      each.faults ?? [],
    )
  })
}

for (const [head, delimiter] of [
  ['a,b,c', ','],
  ['a;"b,c,d,e";f', ';'],
  ['a\tb', '\t'],
  ['a', ','],
] as const) {
  test(`${JSON.stringify(head)} is separated by ${JSON.stringify(delimiter)}`, () => {
    assert.equal(findDelimiter(`${head}\n1;2;3;4;5`), delimiter)
  })
}

for (const [text, reason, line] of [
  ['  ', 'empty', undefined],
  ['a,b\n', 'noRows', undefined],
  ['[1, null]', 'notRecords', undefined],
  ['[{]', 'json', undefined],
  ['{"a":1}\n{"a":', 'json', 2],
  ['<html><table>', 'html', undefined],
  ['<?xml version="1.0"?><Workbook/>', 'html', undefined],
  ['a,\0b\n1,2', 'binary', undefined],
] as const) {
  test(`${JSON.stringify(text)} is refused: ${reason}`, async () => {
    await assert.rejects(
      readSheet({ name: 'list', bytes: Buffer.from(text) }),
      (error) => error instanceof SheetFault && error.reason === reason && error.line === line,
    )
  })
}

for (const [text, delimiter, line, columns] of [
  ['sep=;\na;b\n1;2', ';', 2, ['a', 'b']],
  ['\uFEFFsep=\t\r\na\tb\r\n1\t2', '\t', 2, ['a', 'b']],
  ['Ward 3\n\na;b;c\n1;2;3\n4;5;6', ';', 3, ['a', 'b', 'c']],
  ['Ward 3, March\nPrinted: today, 8 h\na;b;c;d\n1;2;3;4\n4;5;6;7', ';', 3, ['a', 'b', 'c', 'd']],
  ['Ward 3,,,\n,,,\na,b,c,d\n1,2,3,4', ',', 3, ['a', 'b', 'c', 'd']],
  ['id,codes\n1,A;B;C;D\n2,A;B;C;D', ',', 1, ['id', 'codes']],
  ['age\n84\n71', ',', 1, ['age']],
] as const) {
  test(`the header of ${JSON.stringify(text)}`, async () => {
    const sheet = await readText(text)
    assert.deepEqual([sheet.delimiter, sheet.headerLine, sheet.columns], [delimiter, line, columns])
  })
}

for (const [rows, reason] of [
  ['<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', 'xlsxTooLarge'],
  ['<row r="1"><c r="A1"><v>1</v></c>', 'xlsx'],
  ['<row r="1"><c r="A1" <v>1</v></c></row>', 'xlsx'],
] as const) {
  test(`a spreadsheet with ${rows} is refused: ${reason}`, async () => {
    const sheet = strToU8(`<worksheet><sheetData>${rows}</sheetData></worksheet>`)
    const target = '<Relationship Id="r1" Target="worksheets/sheet1.xml"/>'
    const bytes = zipSync({
      'xl/workbook.xml': strToU8('<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>'),
      'xl/_rels/workbook.xml.rels': strToU8(`<Relationships>${target}</Relationships>`),
      'xl/worksheets/sheet1.xml': sheet,
    })
    await assert.rejects(
      readSheet({ name: 'list.xlsx', bytes }),
      (error) => error instanceof SheetFault && error.reason === reason,
    )
  })
}

const REPEATED = [
  ['[{"age":84,"age":48}]', 2, { 0: ['age'] }],
  ['[{"age":84},{"sex":"F","\\u0073ex":"M"}]', 2, { 1: ['sex'] }],
  ['[5,"a,{b",null,[{"x":1,"x":2}],{"age":1,"age":2}]', 2, { 4: ['age'] }],
  ['[{"a":{"age":1},"b":{"age":2},"age":3}]', 2, {}],
  ['{"note":"age: 84, \\"age\\": 48","age":84}', 1, {}],
  ['{"age" : 84, "age" : 84}', 1, { 0: ['age'] }],
] as const

for (const [text, depth, expected] of REPEATED) {
  test(`names given twice in ${text}`, () => {
    const found = [...repeatedKeys(text, depth)].map(([place, names]) => [place, [...names]])
    assert.deepEqual(Object.fromEntries(found), expected)
  })
}

test('elements that are not records keep their position', async () => {
  const { rows, nonRecords, columns } = await readText('[{"age":84},5,null,{"age":71}]')
  assert.deepEqual(
    [rows.length, [...nonRecords], columns],
    [
      4,
      [
        [1, 5],
        [2, null],
      ],
      ['age'],
    ],
  )
})

test('records with different keys become one sheet', async () => {
  const { columns, rows } = await readText('{"age":84}\n{"sex":"F","age":71}')
  assert.deepEqual(columns, ['age', 'sex'])
  assert.deepEqual(rows, [[84], [71, 'F']])
})

function readText(text: string): ReturnType<typeof readSheet> {
  return readSheet({ name: 'list', bytes: Buffer.from(text) })
}
