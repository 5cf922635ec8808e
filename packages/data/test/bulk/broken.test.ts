/** Files that are not what they say: the place is named, nothing of them is quoted, and nothing appears. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { BadFile } from '../../src/tables/bad-file.ts'
import type { Format } from '../../src/tables/formats.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { scoreFile } from './score-file.ts'
import { writeParquet } from '../../../../test/support/table-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'broken-'))
after(() => rmSync(folder, { recursive: true }))

const wholeParquet = join(folder, 'whole.parquet')
await writeParquet(
  wholeParquet,
  { idx: 'BIGINT', age: 'INTEGER', sex: 'VARCHAR' },
  Array.from({ length: 300 }, (_each, idx) => ({ idx, age: 65 + (idx % 30), sex: 'F' })),
)
const parquet = readFileSync(wholeParquet)
rmSync(wholeParquet)

/** The file with other bytes in a part of it: negative places count from its end. */
function damaged(start: number, end: number, byte: number): Uint8Array {
  const bytes = Buffer.from(parquet)
  bytes.fill(byte, start, end < 0 ? bytes.length + end : end)
  return bytes
}

const BROKEN: readonly (readonly [string, Format, string | Uint8Array, RegExp])[] = [
  ['no array', 'json', '{"idx":1}', /^line 1, column 1: is not a JSON array/],
  ['an empty file', 'json', '', /is not a JSON array/],
  ['an open array', 'json', '[\n{"idx":1}\n', /^line 3, column 1: the array is not closed/],
  ['a comma too many', 'json', '[{"idx":1},\n]', /^line 2, column 1: an element is missing/],
  ['two commas', 'json', '[1,,2]', /^line 1, column 4: an element is missing/],
  ['text after the array', 'json', '[1]\n x', /^line 2, column 2: something follows/],
  [
    'a broken element',
    'json',
    '[{"idx":1},\n  {"idx":2,\n   "age" 84}]',
    /^line 3, column 10: is not well-formed/,
  ],
  ['an unknown word', 'json', '[\n{"idx":1,\n"age": x,\n"sex":"F"\n}\n]', /^line 3, column 8: is not well/],
  ['an element cut off', 'json', '[{"idx":1},\n{"idx":2,"age":}]', /^line 2, column 16: is not well-formed/],
  [
    'a byte that is no UTF-8',
    'json',
    Buffer.from('[{"idx":1},\n{"idx":2,\n "sex":"\xff"}]', 'latin1'),
    /^line 3, column 9: is not well-formed JSON in UTF-8/,
  ],
  ['a line feed in a text', 'json', '[{"idx":1,\n"sex":"F\n"}]', /^line 2, column 9: is not well-formed/],
  ['brackets crossed', 'json', '[{"idx":1]}]', /^line 1, column 2: is not well-formed|bracket|not closed/],
  ['an empty file', 'csv', '', /is empty/],
  ['an open quote', 'csv', 'idx,age\n1,"84\n2,85\n', /^line 2: the quote is not closed/],
  ['text after a quote', 'csv', 'idx,age\n1,"84"5\n', /^line 2: text follows a closed quote/],
  ['a column twice', 'csv', 'idx,age,age\n', /^line 1: columns 2 and 3 of the header have the same name/],
  [
    'half a zstd',
    'csv',
    zstdCompressSync('idx,age\n'.repeat(1000)).subarray(0, 20),
    /is not a whole zstd file/,
  ],
  ['half a gzip', 'ndjson', gzipSync('{"idx":1}\n'.repeat(1000)).subarray(0, 40), /is not a whole gzip file/],
  ['gzip within gzip', 'ndjson', gzipSync(gzipSync('{"idx":1}\n')), /is compressed twice; unpack it once/],
  ['gzip within gzip', 'parquet', gzipSync(gzipSync('PAR1')), /is compressed twice; unpack it once/],
  ['no Parquet', 'parquet', 'PAR1 not really', /cannot be read as Parquet/],
  ['a first page of zeros', 'parquet', damaged(4, 40, 0), /cannot be read as Parquet: .*damaged/],
  ['a first page of ones', 'parquet', damaged(4, 40, 0xff), /cannot be read as Parquet: .*damaged/],
  ['pages of zeros', 'parquet', damaged(4, parquet.length / 2, 0), /cannot be read as Parquet: .*damaged/],
  [
    'pages of random bytes',
    'parquet',
    damaged(20, parquet.length / 2, 0x5a),
    /cannot be read as Parquet: .*damaged/,
  ],
  ['a header alone', 'parquet', parquet.subarray(0, 100), /cannot be read as Parquet: .*damaged/],
  [
    'a part cut out',
    'parquet',
    Buffer.concat([parquet.subarray(0, 60), parquet.subarray(90)]),
    /cannot be read/,
  ],
  [
    'a footer of zeros',
    'parquet',
    damaged(parquet.length - 200, -8, 0),
    /cannot be read as Parquet: .*damaged/,
  ],
]
for (const [what, from, bytes, message] of BROKEN) {
  test(`${from} with ${what} is refused, and nothing appears`, async () => {
    const input = join(folder, `input.${from}`)
    writeFileSync(input, bytes)
    const output = join(folder, 'output.csv')
    const errors = join(folder, 'errors.csv')
    await assert.rejects(
      scoreFile({ input, from, output, errors, to: 'csv', catalog: testCatalog(), today: 20260601 }),
      (error: Error) => {
        assert.ok(error instanceof BadFile)
        assert.match(error.message, message)
        return true
      },
    )
    assert.deepEqual(readdirSync(folder), [`input.${from}`])
    rmSync(input)
  })
}
