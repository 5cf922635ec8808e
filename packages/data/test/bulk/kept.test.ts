/** Kept values come through unchanged in every form, and only from records that could be read. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { WrittenFormat } from '../../src/tables/formats.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { scoreFile } from './score-file.ts'
import { readTableRows } from '../../../../test/support/table-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'kept-'))
after(() => rmSync(folder, { recursive: true }))

const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
/** A line, and what is kept of it: as text; null for nothing. */
const LINES: readonly (readonly [string, string, string | null])[] = [
  ['a text', '{"idx":1,"ward":"A"}', 'A'],
  ['no value', '{"idx":2}', null],
  ['a null', '{"idx":3,"ward":null}', null],
  ['a number that no double holds', '{"idx":4,"ward":9007199254740993}', '9007199254740993'],
  ['an object', '{"idx":5,"ward":{"a":[1,"}"]}}', '{"a":[1,"}"]}'],
  ['every end of a line', '{"idx":6,"ward":"a\\n\u2028\u2029\u0085b"}', 'a\n\u2028\u2029\u0085b'],
  [
    'a pair of surrogates',
    String.raw`{"idx":12,"ward":"\ud83d\uDE00 \\ud800 \u0000"}`,
    '\u{1f600} \\ud800 \0',
  ],
  ['half a pair', String.raw`{"idx":13,"ward":"a\ud800 \uDC00b"}`, 'a\ud800 \udc00b'],
  ['a deep value', `{"idx":7,"ward":${DEEP}}`, DEEP],
  ['a line that is no JSON at the value', '{"idx":8,"ward":Maria Lopez 1941}', null],
  ['a line that is no JSON after the value', '{"idx":9,"ward":"B","age":Maria}', null],
  ['a line that is no JSON at its end', '{"idx":10,"ward":"B"', null],
  ['a line that is no UTF-8', '{"idx":11,"ward":"\xff"}', null],
]
const input = join(folder, 'in.ndjson')
const bytes = LINES.map(([what, line]) =>
  Buffer.from(`${line}\n`, what.endsWith('UTF-8') ? 'latin1' : 'utf8'),
)
const expected = LINES.map(([, , kept]) => kept)

const FORMS: readonly (readonly [string, WrittenFormat])[] = [
  ['out.ndjson', 'ndjson'],
  ['out.json', 'json'],
  ['out.csv', 'csv'],
  ['out.csv.gz', 'csv'],
  ['out.parquet', 'parquet'],
]
for (const [name, to] of FORMS) {
  test(`${name} keeps the values of --keep unchanged`, async () => {
    writeFileSync(input, Buffer.concat(bytes))
    const output = join(folder, name)
    const errors = join(folder, 'errors.csv')
    await scoreFile({
      input,
      output,
      errors,
      to,
      from: 'ndjson',
      keep: ['ward'],
      catalog: testCatalog(),
      today: 20260601,
    })
    assert.deepEqual(readdirSync(folder).sort(), ['errors.csv', 'in.ndjson', name])
    // No table can hold half of a surrogate pair.
    const isTable = to === 'csv' || to === 'parquet'
    assert.deepEqual(
      await keptOf(to, output),
      expected.map((text) => (isTable ? (text?.toWellFormed() ?? null) : text)),
    )
    assert.equal((await readTableRows(errors, 'csv')).length, LINES.length)
    rmSync(output)
  })
}

async function keptOf(to: WrittenFormat, output: string): Promise<readonly (string | null)[]> {
  if (to === 'csv' || to === 'parquet') {
    return (await readTableRows(output, to)).map(({ ward }) => ward as string | null)
  }
  const text = readFileSync(output, 'utf8')
  if (to === 'ndjson') return textsOf(text.split('\n').slice(0, -1))
  return textsOf(`${text.slice(2, -3)},`.split('\n').map((line) => line.slice(0, -1)))
}

/** Each line must be JSON. The value is taken from its text, because parsing changes large numbers. */
function textsOf(lines: readonly string[]): readonly (string | null)[] {
  return lines.map((line) => {
    const { ward } = JSON.parse(line) as { ward: unknown }
    if (typeof ward === 'string' || ward === null) return ward
    return line.slice(line.indexOf('"ward":') + '"ward":'.length, -1)
  })
}

test('a kept column may have a name that the table engine gives to places of rows', async () => {
  const header = 'idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,file_row_number,file_index'
  // An idx that repeats makes the results be put into order again, which must not be that of the kept column.
  const rows = ['1,84,F,2,1,7,9,c', '2,84,F,2,1,7,8,b', '2,84,F,2,1,7,7,a']
  const path = join(folder, 'places.csv')
  writeFileSync(path, `${[header, ...rows].join('\n')}\n`)
  const output = join(folder, 'places-out.csv')
  await scoreFile({
    input: path,
    output,
    to: 'csv',
    from: 'csv',
    keep: ['file_row_number', 'file_index'],
    catalog: testCatalog(),
    today: 20260601,
  })
  const written = readFileSync(output, 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    written.map((line) => line.split(',').slice(-2).join()),
    ['file_row_number,file_index', '9,c', '8,b', '7,a'],
  )
  assert.match(written[1] ?? '', /^1,0\.2294,,/)
})
