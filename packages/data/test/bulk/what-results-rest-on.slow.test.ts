/** `--notices` and `--range`: files of every format say of a record what `explain` says of it. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { RESULT_PARTS, type ResultPart } from '../../src/bulk/run.ts'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import type { RestsOn } from 'patient-risk-engine/explain'
import { Random } from '../../../../test/support/random.ts'
import { asLines } from '../../../../test/support/records.ts'
import { testCatalog } from '../../../../test/support/serve.ts'
import { deploymentOf, scoreFile } from './score-file.ts'
import { readTableRows, writeParquet } from '../../../../test/support/table-files.ts'

const TODAY = 20260315
const catalog = testCatalog()
const folder = mkdtempSync(join(tmpdir(), 'rests-on-'))
after(() => rmSync(folder, { recursive: true }))

type Fields = Readonly<Record<string, unknown>>
type Said = Pick<RestsOn, 'notices' | 'range'>

/** Columns with their types in Parquet, and the values that they may have. */
const COLUMNS: Readonly<Record<string, readonly [string, readonly unknown[]]>> = {
  age: ['BIGINT', [80, 84, 110, 15, 400]],
  sex: ['VARCHAR', ['F', 'M', 'X', 'W']],
  inpatientAdmissions: ['DOUBLE', [0, 2, 100, 2.5]],
  emergencyAdmissions: ['DECIMAL(9, 2)', [0, 3]],
  stayDays: ['INTEGER', [0, 7, 3650]],
  barthel_feeding: ['DOUBLE', [5, 10, 7]],
  barthel_bathing: ['BIGINT', [0, 5]],
  barthel_total: ['BIGINT', [15, 5, 100]],
  barthel_date: ['VARCHAR', ['01-03-2026', '01-03-2020', '31-02-2020']],
  prisma7_male: ['BIGINT', [0, 1]],
  phq9_selfHarm: ['BIGINT', [0, 3]],
  haemoglobin: ['DOUBLE', [7.5, 13.4, 134]],
  dementia: ['BOOLEAN', [true, false]],
  activeCancer: ['BOOLEAN', [true, false]],
}
const random = new Random(27)
const records = Array.from({ length: 300 }, (_, place): Fields => {
  const given = Object.entries(COLUMNS).flatMap(([name, [, values]]) =>
    random.chance(0.2) ? [] : [[name, random.pick(random.chance(0.5) ? values.slice(0, 2) : values)]],
  )
  // Some numbers come twice, and some records have none.
  return {
    idx: random.chance(0.05) ? null : random.chance(0.05) ? 1 : place,
    ...(Object.fromEntries(given) as Fields),
  }
})

const DEPLOYMENTS: readonly Partial<DeploymentSettings>[] = [
  { model: 'readmission30' },
  { model: 'readmission30', output: 'yes-no', threshold: 0.15 },
  { model: 'profund', assessmentDays: 3_000 },
]
type Format = 'json' | 'ndjson' | 'csv' | 'parquet'
const RUNS: readonly (readonly [Format, Format])[] = [
  ['json', 'csv'],
  ['ndjson', 'json'],
  ['ndjson', 'parquet'],
  ['csv', 'csv'],
  ['csv', 'ndjson'],
  ['parquet', 'parquet'],
]

async function writeInput(path: string, format: Format, rows: readonly Fields[]): Promise<void> {
  const names = ['idx', ...Object.keys(COLUMNS)]
  const types = names.map((name) => [name, COLUMNS[name]?.[0] ?? 'BIGINT'] as const)
  if (format === 'parquet') return writeParquet(path, Object.fromEntries(types), rows)
  const csv = [names, ...rows.map((row) => names.map((name) => (row[name] ?? '') as string))]
  const texts = { json: JSON.stringify(rows), ndjson: asLines(rows), csv: csv.map(String).join('\n') }
  writeFileSync(path, texts[format])
}

/** What is in doubt about the whole file is in its rows too: feed-notices.test.ts looks at that. */
const isOfRecord = (code: string): boolean => code !== 'feed-doubt'

/** What a file says of each record, in the form of the columns of a table. */
async function saidIn(path: string, to: Format): Promise<readonly Fields[]> {
  if (to === 'csv' || to === 'parquet') {
    const rows = await readTableRows(path, to)
    const number = (value: unknown): number | null => (value === null ? null : Number(value))
    return rows.map(({ notices, range_decided, ...row }) => ({
      notices: noticesOfRecord(notices as string | null),
      ...Object.fromEntries(ENDS.map((name) => [name, number(row[name])])),
      range_decided,
    }))
  }
  const text = readFileSync(path, 'utf8')
  const results = to === 'json' ? text : `[${text.trim().replaceAll('\n', ',')}]`
  return (JSON.parse(results) as readonly Said[]).map(asColumns)
}

function noticesOfRecord(texts: string | null): string | null {
  const own = (texts ?? '').split('; ').filter((text) => isOfRecord(text.split(':')[0] ?? ''))
  return own.join('; ') || null
}

const ENDS = ['range_low', 'range_high', 'range_usual_low', 'range_usual_high'] as const

function asColumns({ notices, range }: Said): Fields {
  return {
    notices: noticesOfRecord(notices.map(({ code, field }) => `${code}:${field}`).join('; ')),
    range_low: range?.possible[0] ?? null,
    range_high: range?.possible[1] ?? null,
    range_usual_low: range?.usual?.[0] ?? null,
    range_usual_high: range?.usual?.[1] ?? null,
    range_decided: range?.decided ?? null,
  }
}

function explained(settings: Partial<DeploymentSettings>, rows: readonly Fields[]): readonly Said[] {
  const { scorer } = deploymentOf(catalog, settings)
  const { bytes } = scorer.explain(Buffer.from(JSON.stringify(rows)), TODAY)
  return JSON.parse(new TextDecoder().decode(bytes)) as readonly Said[]
}

async function score(
  rows: readonly Fields[],
  from: Format,
  to: Format,
  settings: Partial<DeploymentSettings> = {},
  parts: readonly ResultPart[] = RESULT_PARTS,
  chunkBytes?: number,
): Promise<string> {
  const input = join(folder, `in.${from}`)
  const output = join(folder, `out.${to}`)
  await writeInput(input, from, rows)
  const deployment = deploymentOf(catalog, settings)
  const sized = chunkBytes === undefined ? {} : { chunkBytes }
  await scoreFile({ input, from, output, to, catalog, deployment, today: TODAY, parts, ...sized })
  return output
}

for (const settings of DEPLOYMENTS) {
  describe(`${settings.model} ${settings.output ?? 'number'}`, () => {
    const expected = explained(settings, records)
    test('the records give notices and ranges', () => {
      assert.ok(expected.some(({ notices }) => notices.length > 0))
      assert.ok(expected.some(({ range }) => range !== null))
      assert.ok(expected.some(({ notices, range }) => notices.length === 0 && range === null))
    })
    for (const [from, to] of RUNS) {
      test(`${from} to ${to}`, async () => {
        const said = await saidIn(await score(records, from, to, settings), to)
        assert.deepEqual(said, expected.map(asColumns))
      })
    }
  })
}

test('lines hold the very lists of explain, also those of the threads', async () => {
  const path = await score(records, 'ndjson', 'ndjson', {}, RESULT_PARTS, 2_048)
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const said = lines.map((line) => JSON.parse(line) as Said)
  assert.deepEqual(
    said.map(({ notices, range }) => ({ notices: notices.filter(({ code }) => isOfRecord(code)), range })),
    explained({}, records).map(({ notices, range }) => ({ notices, range })),
  )
  assert.deepEqual(Object.keys(said[0] ?? {}), ['idx', 'risk', 'error_message', 'notices', 'range'])
})

const COMPLETE = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }

/** What the record is · the record · what the columns say. */
const CASES: readonly (readonly [string, Fields, Fields])[] = [
  ['nothing to say', COMPLETE, {}],
  [
    '110 years, 100 admissions, 3,650 days',
    { ...COMPLETE, age: 110, inpatientAdmissions: 100, stayDays: 3650 },
    { notices: 'outside-data:age; outside-data:inpatientAdmissions; outside-data:stayDays' },
  ],
  [
    'a Barthel that adds up what is filled in',
    { ...COMPLETE, barthel_feeding: 10, barthel_bathing: 5, barthel_total: 15 },
    { notices: 'incomplete-scale:barthel_total' },
  ],
  [
    'a woman who is a man in PRISMA-7',
    { ...COMPLETE, prisma7_male: 1 },
    { notices: 'contradiction:prisma7_male' },
  ],
  ['thoughts of self-harm', { ...COMPLETE, phq9_selfHarm: 3 }, { notices: 'act-on-item:phq9_selfHarm' }],
]
for (const [what, record, expected] of CASES) {
  test(`${what}, as CSV`, async () => {
    const nothing = Object.fromEntries(['notices', ...ENDS, 'range_decided'].map((name) => [name, null]))
    assert.deepEqual(await saidIn(await score([record], 'csv', 'csv'), 'csv'), [{ ...nothing, ...expected }])
  })
}

test('one of them alone gives its own columns only', async () => {
  const head = async (...parts: readonly ResultPart[]): Promise<string | undefined> =>
    readFileSync(await score([COMPLETE], 'csv', 'csv', {}, parts), 'utf8').split('\n')[0]
  assert.equal(await head('notices'), 'idx,risk,error_message,notices')
  assert.equal(await head('range'), `idx,risk,error_message,${ENDS.join(',')},range_decided`)
  assert.equal(await head(), 'idx,risk,error_message')
})
