/** What a run writes, by the name of the file: the separator of its cells, and an empty result. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { serialize } from 'node:v8'
import { gunzipSync } from 'node:zlib'
import { formatOf } from '../../src/tables/formats.ts'
import { BadFile } from '../../src/tables/bad-file.ts'
import { cleanRecord, asLines } from '../../../../test/support/records.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { scoreFile } from './score-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'written-'))
const at = (name: string): string => join(folder, name)
const input = at('in.ndjson')
after(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(at(name))
})

interface More {
  readonly errors?: string
  readonly keep?: readonly string[]
  readonly isResumed?: boolean
}

async function write(records: readonly unknown[], name: string | undefined, more: More = {}): Promise<void> {
  writeFileSync(input, asLines(records))
  const output = name === undefined ? undefined : at(name)
  const to = formatOf(name ?? '').written ?? 'ndjson'
  await scoreFile({ input, from: 'ndjson', output, to, catalog: testCatalog(), today: 20260601, ...more })
}

const FORMS = [
  ['out.tsv', 'idx\trisk\terror_message\tage\n1\t0'],
  ['out.csv', 'idx,risk,error_message,age\n1,0'],
  ['out.TSV', 'idx\trisk\terror_message\tage\n1\t0'],
  ['out.tsv.gz', 'idx\trisk\terror_message\tage\n1\t0'],
] as const
for (const [name, start] of FORMS) {
  test(`${name} begins with ${JSON.stringify(start)}`, async () => {
    await write([cleanRecord(1)], name, { keep: ['age'] })
    const bytes = readFileSync(at(name))
    const text = String(name.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    assert.ok(text.startsWith(start), text)
    assert.ok(text.endsWith(name.includes('csv') ? ',66\n' : '\t66\n'), text)
  })
}

const ERRORS = [
  ['errors.tsv', /^idx\trisk\terror_message\n2\t\t"\[.*\]"\n$/],
  ['errors.csv', /^idx,risk,error_message\n2,,"\[.*\]"\n$/],
  ['errors.ndjson', /^\{"idx":2,"risk":null,.*\}\n$/],
] as const
for (const [name, pattern] of ERRORS) {
  test(`the results with problems are written to ${name}`, async () => {
    await write([cleanRecord(1), { idx: 2 }], 'out.ndjson', { errors: at(name) })
    assert.match(readFileSync(at(name), 'utf8'), pattern)
  })
}

const EMPTY = [
  ['out.ndjson.gz', ''],
  ['out.json.gz', '[]\n'],
  ['out.csv.gz', 'idx,risk,error_message\n'],
  ['out.tsv.gz', 'idx\trisk\terror_message\n'],
] as const
for (const [name, text] of EMPTY) {
  test(`an empty result is a whole gzip file: ${name}`, async () => {
    await write([], name)
    const bytes = readFileSync(at(name))
    assert.ok(bytes.length > 0)
    assert.equal(String(gunzipSync(bytes)), text)
  })
}

const DAMAGED = ['', 'x', serialize({ version: 3, identity: 'a' }).subarray(0, -2), serialize(null)]
for (const checkpoint of DAMAGED) {
  test(`a damaged checkpoint is refused: ${JSON.stringify(String(checkpoint))}`, async () => {
    writeFileSync(at('out.ndjson.checkpoint'), checkpoint)
    await assert.rejects(
      write([], 'out.ndjson', { isResumed: true }),
      (error: Error) => error instanceof BadFile && error.message.includes('damaged or incomplete'),
    )
  })
}
