/** CSV: read as a strict library reads it, however the file is cut, and numbers as the language reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { BadFile } from '../../src/tables/bad-file.ts'
import { CsvRows } from '../../src/tables/csv-rows.ts'
import { allRows, delimiterOf } from '../../src/tables/csv-texts.ts'
import { plainNumber } from '../../src/tables/plain-number.ts'
import { splitCsv } from '../../src/tables/split-csv.ts'

const piece = fc.constantFrom('a', '"', '""', ',', '\n', '\r\n', ' ', 'é', '"x"', '"a,b"', '"a\nb"', '')

test('it takes and refuses what a strict parser takes and refuses, and reads the same cells', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      let expected: string[][] | undefined
      try {
        expected = parse(text, {
          relax_column_count: true,
          skip_empty_lines: true,
          record_delimiter: ['\n', '\r\n'],
        })
      } catch {
        expected = undefined
      }
      let rows: string[][] | undefined
      try {
        rows = allRows(Buffer.from(text), ',', 1)
      } catch (error) {
        assert.ok(error instanceof BadFile)
      }
      assert.deepEqual(rows, expected, JSON.stringify(text))
    }),
    { numRuns: 2_000 },
  )
})

async function* parts(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size)
    yield await Promise.resolve(bytes.subarray(from, from + size))
}

const cell = fc.oneof(fc.constantFrom('', 'é', '"', 'a,b', 'a\nb', '0.5'), fc.string({ maxLength: 4 }))
const table = fc
  .integer({ min: 1, max: 70 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
  )

test('however a file comes in parts and is cut into pieces, its rows and their lines are the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 60 }),
      async (rows, size, piece) => {
        const quoted = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
        const bytes = Buffer.from(`${quoted.join('\r\n')}\n`)
        const found: string[][] = []
        const lines: number[] = []
        let count = 0
        for await (const chunk of splitCsv(parts(bytes, size), piece)) {
          const cursor = new CsvRows(chunk.bytes, ',', chunk.line)
          assert.equal(chunk.first, count)
          count += chunk.count
          while (cursor.next()) {
            lines.push(cursor.line)
            found.push(Array.from({ length: cursor.cells.count }, (_each, place) => cursor.cells.text(place)))
          }
        }
        assert.deepEqual(found, rows)
        assert.equal(count, rows.length - 1)
        let line = 1
        for (const [index, text] of quoted.entries()) {
          assert.equal(lines[index], line)
          line += text.split('\n').length
        }
      },
    ),
  )
})

const DELIMITED = [
  ['a,b;c,d', ','],
  ['a;b;c', ';'],
  ['a\tb', '\t'],
  ['alone', ','],
  ['"a;b;c;d",e', ','],
  ['"a ""x;y;z;"" b",e,f', ','],
] as const
for (const [header, delimiter] of DELIMITED) {
  test(`the header ${JSON.stringify(header)} is parted by ${JSON.stringify(delimiter)}`, () => {
    assert.equal(delimiterOf(Buffer.from(header)), delimiter)
  })
}

const RETURNS: readonly (readonly [string, boolean])[] = [
  ['a,b\r1,2\r', false],
  ['a\rb', false],
  ['a,"b"\r1,2', false],
  ['a,b\r\n1,2\r\n', true],
  ['a,b\r\r\n1,2\r\n', true],
  ['a,b\r', true],
  ['"a\rb",c\n1,2\n', true],
  ['\r\na,b\n1,2\n', true],
]
for (const [text, isTaken] of RETURNS) {
  test(`${JSON.stringify(text)} is ${isTaken ? 'taken' : 'refused for its line ends'}`, async () => {
    const read = async (): Promise<void> => {
      for await (const { count } of splitCsv(parts(Buffer.from(text), 3), 10)) assert.ok(count <= 1)
    }
    if (isTaken) await read()
    else await assert.rejects(read(), /line 1: the lines end with a carriage return alone/)
  })
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }), fc.integer({ min: 0, max: 17 }))
    .map(([whole, at]) => {
      const text = String(whole)
      return at === 0 ? text : `${text.slice(0, -at)}.${text.slice(-at)}`
    }),
  fc.string({ unit: fc.constantFrom('0', '1', '9', '.', '-', '+', 'e', ' '), maxLength: 8 }),
)

test('a plain number is the one that the language reads; what is not plain is left to its text', () => {
  fc.assert(
    fc.property(number, (text) => {
      const bytes = Buffer.from(`7${text}7`)
      const value = plainNumber(bytes, 1, bytes.length - 1)
      const isPlain = /^-?\d+(\.\d+)?$/.test(text) && text.replace(/[-.]/g, '').length <= 15
      assert.ok(Object.is(value, isPlain ? Number(text) : Number.NaN), `${text}: ${value}`)
    }),
    { numRuns: 3_000 },
  )
})

test('a row must have the cells of the header, and text must be UTF-8', () => {
  assert.throws(() => allRows(Buffer.from('1,2\n3\n'), ',', 5, 2), /line 6, column 2: the row has 1 cell/)
  assert.throws(() => allRows(Buffer.from([0x61, 0xff]), ',', 5), /line 5, column 2: is not valid UTF-8/)
})
