/** Tables: several inputs, order, identifiers, value maps, forms of numbers and dates, and rows that cannot be read. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import type { ColumnOptions } from '../../../src/bulk/tables/table-source.ts'
import { scoreLines } from '../../../src/bulk/lines/score-lines.ts'
import { findModel } from '@patient-risk/catalog'
import type { RunReport } from '../../../src/bulk/summary.ts'
import { scoreTables } from '../../../src/bulk/tables/score-tables.ts'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { cleanRecords } from '../../../../../test/support/records.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { PLAIN_COLUMNS, deploymentOf } from '../score-file.ts'
import { writeParquet } from '../../../../../test/support/table-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'tables-'))
after(() => rmSync(folder, { recursive: true }))
const output = join(folder, 'out.ndjson')

interface Result {
  readonly idx: unknown
  readonly risk: number | null
  readonly error_message: readonly { readonly Field: string; readonly ExtendError: string }[] | null
}

const common = {
  output,
  to: 'ndjson',
  compression: undefined,
  errors: undefined,
  errorsTo: undefined,
  today: 20260601,
  threads: 2,
  isResumed: false,
  parts: [],
  onProgress: () => undefined,
} as const

async function score(
  files: Readonly<Record<string, string | Uint8Array>>,
  columnOptions: Partial<ColumnOptions> = {},
): Promise<{ readonly results: readonly Result[]; readonly outcome: RunReport }> {
  const inputs = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return { path, format: name.includes('.parquet') ? ('parquet' as const) : ('csv' as const) }
  })
  const catalog = testCatalog()
  const run = {
    ...common,
    catalog,
    deployment: deploymentOf(catalog),
    inputs,
    columnOptions: { ...PLAIN_COLUMNS, ...columnOptions },
  }
  const outcome = await scoreTables(run)
  return { results: written(), outcome }
}

function written(): readonly Result[] {
  const lines = readFileSync(output, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Result)
}

const records = cleanRecords(3) as unknown as Readonly<Record<string, string | number>>[]
const names = Object.keys(records[0] ?? {})
const csvOf = (rows: readonly Readonly<Record<string, unknown>>[], header = names): string =>
  [header, ...rows.map((row) => names.map((name) => String(row[name])))]
    .map((row) => `${row.join(',')}\n`)
    .join('')
const clean = csvOf(records)

test('a large file keeps its order with two threads', async () => {
  // More rows than a thread takes at a time, which are 122,880.
  // A list of permitted values is what an engine likes to turn into a join, which does not keep the order.
  const many = `${names.join(',')},barthel_total\n${Array.from({ length: 125_000 }, (_each, idx) => {
    const { age, sex, inpatientAdmissions, emergencyAdmissions, stayDays } = records[idx % 3] ?? {}
    return [idx, age, sex, inpatientAdmissions, emergencyAdmissions, stayDays, (idx % 21) * 5].join(',')
  }).join('\n')}\n`
  const { results } = await score({ 'many.csv': many })
  assert.equal(
    results.findIndex(({ idx }, place) => idx !== place),
    -1,
  )
  assert.equal(results.length, 125_000)
})

test('several inputs become one output, and an idx of two of them is refused in both', async () => {
  const { results } = await score({ 'a.csv': clean, 'b.csv.zst': zstdCompressSync(clean) })
  assert.equal(results.length, 6)
  for (const { risk, error_message } of results) {
    assert.equal(risk, null)
    assert.match(error_message?.[0]?.ExtendError ?? '', /Idx in idx \d \(duplicate\)$/)
  }
})

test('identifiers of any kind take the place of idx', async () => {
  const withId = records.map((record, place) => ({ ...record, idx: ['A-1', 'A-1', 'é"2'][place] ?? '' }))
  const header = names.map((name) => (name === 'idx' ? 'nhc' : name))
  const { results } = await score({ 'a.csv': csvOf(withId, header) }, { id: 'nhc' })
  assert.deepEqual(
    results.map(({ idx }) => idx),
    ['A-1', 'A-1', 'é"2'],
  )
  assert.equal(results[0]?.error_message?.[0]?.ExtendError, 'ValueError for value Idx in idx A-1 (duplicate)')
  assert.equal(typeof results[2]?.risk, 'number')
})

test('rows without idx are numbered over all inputs', async () => {
  const header = names.map((name) => (name === 'idx' ? 'other' : name))
  const { results, outcome } = await score({
    'a.csv': csvOf(records, header),
    'b.csv': csvOf(records, header),
  })
  assert.deepEqual(
    results.map(({ idx }) => idx),
    [1, 2, 3, 4, 5, 6],
  )
  assert.deepEqual(outcome.unknown, ['other'])
})

test('rows and cells that cannot be read are reported with file and line, and have their place', async () => {
  const [first = {}, second = {}] = records
  const odd = `${csvOf([first])}9,1\n\n${csvOf([{ ...second, stayDays: '1.000' }]).split('\n')[1] ?? ''}\n`
  const { results, outcome } = await score({ 'a.csv': odd })
  assert.deepEqual(
    results.map(({ idx }) => idx),
    [first['idx'], null, second['idx']],
  )
  assert.equal(
    results[1]?.error_message?.[0]?.ExtendError,
    'ValueError for value Record in idx 1 (not an object)',
  )
  assert.equal(results[2]?.error_message?.[0]?.Field, 'stayDays')
  assert.match(
    outcome.notes.join('\n'),
    /a\.csv, line 3: the row has fewer cells.*\n.*a\.csv, line 5, column stayDays: 1\.000 may be/,
  )
})

test('a specification maps values, and missing texts are absent', async () => {
  const mapped = records.map((record) => ({ ...record, sex: record['sex'] === 'F' ? 'Mujer' : 'Hombre' }))
  const rules = { sex: { column: 'sex', map: { Mujer: 'F', Hombre: 'M' } } }
  const { results } = await score({ 'a.csv': csvOf(mapped) }, { rules })
  assert.ok(results.every(({ risk }) => typeof risk === 'number'))
  for (const [sex, message] of [
    ['', 'ValueMissing for value sex'],
    ['NA', 'ValueMissing for value sex'],
    ['?', `ValueError for value Sex in idx ${String(records[0]?.['idx'])} (not a permitted value)`],
  ] as const) {
    const odd = await score({ 'a.csv': csvOf([{ ...mapped[0], sex }]) }, { rules, missing: ['NA'] })
    assert.equal(odd.results[0]?.error_message?.[0]?.ExtendError, message)
  }
  const missing = await score({ 'a.csv': csvOf([{ ...records[0], stayDays: 'NA' }]) }, { missing: ['NA'] })
  assert.equal(missing.results[0]?.error_message?.[0]?.ExtendError, 'ValueMissing for value stayDays')
})

test('a folder of Parquet files with Hive partitions gives its partition columns', async () => {
  mkdirSync(join(folder, 'sex=F'), { recursive: true })
  const types = Object.fromEntries(names.filter((name) => name !== 'sex').map((name) => [name, 'INTEGER']))
  await writeParquet(join(folder, 'sex=F', 'part.parquet'), types, records)
  const catalog = testCatalog()
  const inputs = [{ path: join(folder, 'sex=F', 'part.parquet'), format: 'parquet' as const }]
  await scoreTables({
    ...common,
    catalog,
    deployment: deploymentOf(catalog),
    inputs,
    columnOptions: PLAIN_COLUMNS,
  })
  assert.ok(written().every(({ risk }) => typeof risk === 'number'))
})

test('an interrupted run keeps the inputs that are done, and a resumed one ends with the same bytes', async () => {
  const second = csvOf(records.map((record) => ({ ...record, idx: Number(record['idx']) + 10 })))
  await score({ 'a.csv': clean, 'b.csv': second })
  const expected = readFileSync(output)
  rmSync(output)
  await assert.rejects(
    score({ 'a.csv': clean, 'b.csv': 'idx,"age\n' }),
    /b\.csv: line 1: the quote is not closed/,
  )
  assert.ok(readdirSync(folder).includes('out.ndjson.unfinished.parts'))
  const catalog = testCatalog()
  writeFileSync(join(folder, 'b.csv'), second)
  const inputs = ['a.csv', 'b.csv'].map((name) => ({ path: join(folder, name), format: 'csv' as const }))
  const run = { ...common, catalog, deployment: deploymentOf(catalog), inputs, columnOptions: PLAIN_COLUMNS }
  await assert.rejects(scoreTables({ ...run, isResumed: true }), /other inputs/)
  await scoreTables(run)
  assert.ok(readFileSync(output).equals(expected))
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('out')),
    ['out.ndjson'],
  )
})

test('a resumed run scores again what has lost its part', async () => {
  const { outcome } = await score({ 'a.csv': clean })
  const expected = readFileSync(output)
  rmSync(output)
  // The output cannot be published: what was scored stays.
  mkdirSync(output)
  await assert.rejects(score({ 'a.csv': clean }))
  assert.ok(readdirSync(folder).includes('out.ndjson.checkpoint'))
  rmSync(output, { recursive: true })
  rmSync(join(folder, 'out.ndjson.unfinished.parts'), { recursive: true })
  const catalog = testCatalog()
  const inputs = [{ path: join(folder, 'a.csv'), format: 'csv' as const }]
  const run = { ...common, catalog, deployment: deploymentOf(catalog), inputs, columnOptions: PLAIN_COLUMNS }
  assert.deepEqual((await scoreTables({ ...run, isResumed: true })).summary, outcome.summary)
  assert.ok(readFileSync(output).equals(expected))
})

/** Far more splits than a query has room for: each tree asks for the albumin in 60 places. */
const TREES: ModelDefinition['terms'][number] = {
  kind: 'trees',
  combine: 'mean',
  rounding: 'both',
  trees: Array.from({ length: 800 }, (_each, tree) => {
    const edge = (at: number): number => Math.round(80 - at - (tree % 10)) / 20
    const splits = Array.from({ length: 60 }, (_split, at) => [
      { field: 'albumin', below: edge(at), then: 2 * at + 2, else: 2 * at + 1, absent: 'then' as const },
      at / 30 + tree / 1_000,
    ])
    return [...splits.flat(), -1]
  }),
}
const WITHOUT_SQL: Readonly<Record<string, Pick<ModelDefinition, 'inputs' | 'terms'>>> = {
  'a logarithm of decimal numbers': {
    inputs: { albumin: { whenAbsent: 3.5, why: 'a test' } },
    terms: [{ kind: 'logarithm', field: 'albumin', plus: 1, coefficient: 0.7 }],
  },
  'many trees': { inputs: { albumin: { whenAbsent: null, why: 'a test' } }, terms: [TREES] },
}
for (const [what, parts] of Object.entries(WITHOUT_SQL)) {
  test(`a model without an exact SQL form gives tables the same results as records: ${what}`, () =>
    compareTables(parts))
}

async function compareTables(parts: Pick<ModelDefinition, 'inputs' | 'terms'>): Promise<void> {
  const known = testCatalog()
  const base = findModel(known, 'hospital')
  assert.ok(base !== undefined)
  const definition: ModelDefinition = {
    ...base.definition,
    id: 'decimal',
    ...parts,
    link: { kind: 'logistic', intercept: -1 },
  }
  const changed = { ...base, definition }
  const catalog = { ...known, models: new Map([...known.models, ['decimal@1.0.0', changed]]) }
  const deployment = deploymentOf(catalog, { model: 'decimal@1.0.0' })
  const rows = Array.from({ length: 300 }, (_, place) => ({
    ...records[place % 3],
    idx: place,
    albumin: place % 50 === 7 ? 'x' : place % 40 === 9 ? '' : 0.5 + place / 100,
  }))
  const header = [...names, 'albumin']
  const csv = [header, ...rows.map((row) => header.map((name) => String(row[name as keyof typeof row])))]
  const path = join(folder, 'decimal.csv')
  writeFileSync(path, `${csv.map((row) => row.join(',')).join('\n')}\n`)
  const run = { ...common, catalog, deployment, columnOptions: PLAIN_COLUMNS }
  await scoreTables({ ...run, inputs: [{ path, format: 'csv' }] })
  const results = written()
  const lines = join(folder, 'decimal.ndjson')
  writeFileSync(
    lines,
    rows.map(({ albumin, ...row }) => JSON.stringify(albumin === '' ? row : { ...row, albumin })).join('\n'),
  )
  await scoreLines({ ...run, inputs: [{ path: lines, format: 'ndjson' }] })
  assert.deepEqual(results, written())
  assert.ok(new Set(results.map(({ risk }) => risk)).size > 50)
}
