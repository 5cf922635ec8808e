/** The same records get the same results over HTTP, as a body and as lines, and from files of every format. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { fc } from '../../../../test/support/fast-check.ts'
import { type Served, serve, testCatalog } from '../../../../test/support/serve.ts'
import { asLines } from '../../../../test/support/records.ts'
import { scoreFile } from './score-file.ts'
import { readTableRows, writeParquet } from '../../../../test/support/table-files.ts'

interface Result {
  readonly idx: number | null
  readonly risk: unknown
  readonly error_message: unknown
}
type Fields = Readonly<Record<string, unknown>>

let served: Served
const folder = mkdtempSync(join(tmpdir(), 'results-'))
before(async () => {
  served = await serve()
})
after(async () => {
  await served.close()
  rmSync(folder, { recursive: true })
})

type Format = 'json' | 'ndjson' | 'csv' | 'parquet'
const FORMATS: readonly Format[] = ['json', 'ndjson', 'csv', 'parquet']
const NUMBERS = [
  'age',
  'inpatientAdmissions',
  'emergencyAdmissions',
  'stayDays',
  'barthel_total',
  'barthel_feeding',
]

/** Values that every format can hold and reads alike: CSV also takes spaces around a cell and dates as YYYY-MM-DD. */
const record: fc.Arbitrary<Fields> = fc.record(
  {
    ...Object.fromEntries(
      NUMBERS.map((name) => [name, fc.oneof(fc.integer({ min: -1, max: 130 }), fc.constant(7.5))]),
    ),
    sex: fc.constantFrom('F', 'M', 'X', 'W', 'f', '=1+1', 'a"b', 'x,y\nz'),
    barthel_date: fc.constantFrom('01-02-2026', '31-02-2026', '1-2-2026', '01-02-2199'),
    note: fc.constantFrom('-1', '@x', 'plain'),
  },
  { requiredKeys: [] },
)
const table = fc
  .array(record, { minLength: 1, maxLength: 6 })
  .chain((records) =>
    fc.tuple(
      fc.constant(records),
      // A few numbers only, so that some come twice.
      fc.array(fc.integer({ min: -3, max: 9 }), { minLength: records.length, maxLength: records.length }),
    ),
  )
  .map(([records, idxs]) => records.map((fields, place) => ({ idx: idxs[place], ...fields })))

async function fileOf(format: Format, records: readonly Fields[]): Promise<Buffer> {
  const names = [...new Set(records.flatMap((each) => Object.keys(each)))]
  switch (format) {
    case 'json':
      return Buffer.from(JSON.stringify(records, null, 2))
    case 'ndjson':
      return Buffer.from(asLines(records))
    case 'csv': {
      const cell = (value: string | number = ''): string => {
        const text = String(value)
        return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
      }
      const rows = [
        names,
        ...records.map((each) => names.map((name) => cell(each[name] as string | number | undefined))),
      ]
      return Buffer.from(rows.map((row) => `${row.join(',')}\n`).join(''))
    }
    case 'parquet': {
      const types = names.map((name) => [
        name,
        name === 'idx' || NUMBERS.includes(name) ? 'DOUBLE' : 'VARCHAR',
      ])
      const path = join(folder, 'table.plain')
      await writeParquet(path, Object.fromEntries(types) as Record<string, string>, records)
      return readFileSync(path)
    }
  }
}

async function resultsOf(path: string, format: Format): Promise<readonly Result[]> {
  const bytes = readFileSync(path)
  const plain = path.endsWith('.gz') ? gunzipSync(bytes) : bytes
  switch (format) {
    case 'json':
      return JSON.parse(plain.toString()) as Result[]
    case 'ndjson':
      return plain
        .toString()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Result)
    case 'csv':
    case 'parquet': {
      const rows = await readTableRows(path, format)
      return rows.map(({ idx, risk, error_message }) => ({
        idx: idx === null ? null : Number(idx),
        risk: risk === null ? null : Number(risk),
        error_message: error_message === null ? null : (JSON.parse(error_message as string) as unknown),
      }))
    }
  }
}

test('HTTP and files of every format give the same results for the same records', async () => {
  let place = 0
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(...FORMATS),
      fc.boolean(),
      fc.boolean(),
      async (records, to, packsInput, packsOutput) => {
        const expected = (await served.post(records)).json() as readonly Result[]
        const unique = new Set(records.map(({ idx }) => idx)).size === records.length
        if (unique) {
          const lines = await served.post(asLines(records), {
            headers: { 'content-type': 'application/x-ndjson' },
          })
          assert.deepEqual(
            lines.text
              .split('\n')
              .filter(Boolean)
              .map((line) => JSON.parse(line) as unknown),
            expected,
          )
        }
        for (const from of FORMATS) {
          const bytes = await fileOf(from, records)
          const input = join(folder, `in-${place}.${from}${packsInput ? '.gz' : ''}`)
          const output = join(folder, `out-${place++}.${to}${packsOutput && to !== 'parquet' ? '.gz' : ''}`)
          writeFileSync(input, packsInput ? gzipSync(bytes) : bytes)
          await scoreFile({
            input,
            output,
            from,
            to,
            catalog: testCatalog(),
            today: served.clock.today(),
            chunkBytes: 64,
          })
          assert.deepEqual(await resultsOf(output, to), expected, `${from} to ${to}`)
          rmSync(input)
          rmSync(output)
        }
      },
    ),
    { numRuns: 5 },
  )
  assert.deepEqual(
    readdirSync(folder).filter((name) => !name.endsWith('.plain')),
    [],
  )
})
