/** The same rows from every kind of file, and how columns become fields. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fc } from '../../../../../test/support/fast-check.ts'
import { trimCell } from '../../../src/tables/csv-scanner.ts'
import { readLabelled } from '../../../src/learn/data/read-labelled.ts'
import { Sample } from '../../../src/learn/data/sample.ts'
import { writeParquet } from '../../../../../test/support/table-files.ts'
import {
  CATALOG,
  SPECIFICATION,
  csvOf,
  fileWith,
  inventRows,
  newFolder,
} from '../../../../../test/support/learning.ts'

const rows = inventRows(500, 21)
const csv = csvOf(rows)
const parquetPath = fileWith('source.parquet', '')
await writeParquet(
  parquetPath,
  {
    patient: 'INTEGER',
    age: 'INTEGER',
    sex: 'VARCHAR',
    admissions: 'INTEGER',
    stay: 'INTEGER',
    died: 'INTEGER',
  },
  rows as unknown as Record<string, unknown>[],
)
const parquet = readFileSync(parquetPath)
const ndjson = `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`

const FILES: readonly (readonly [string, string | Uint8Array])[] = [
  ['a.csv', csv],
  ['semicolons.csv', csv.replaceAll(',', ';')],
  ['tabs.tsv', csv.replaceAll(',', '\t')],
  ['returns.csv', csv.replaceAll('\n', '\r\n')],
  ['quoted.csv', csv.replaceAll(/[FM]/g, '"$&"')],
  ['marked.csv', `\uFEFF${csv}`],
  ['a.csv.gz', gzipSync(csv)],
  ['packed-without-saying-so.csv', gzipSync(csv)],
  ['a.ndjson', ndjson],
  ['a.jsonl.gz', gzipSync(ndjson)],
  ['a.parquet', parquet],
  ['a.parquet.gz', gzipSync(parquet)],
]

/** The texts of some columns, with the line of each row. */
async function readTexts(path: string, extra: readonly string[], missing = ['']): Promise<unknown[]> {
  const found: unknown[] = []
  const data = { outcome: { column: null }, missing }
  await readLabelled({ path, data, fields: [], domains: new Map(), extra }, ({ line, text }) =>
    found.push([line, ...extra.map(text)]),
  )
  return found
}

const FIELDS = ['age', 'sex', 'inpatientAdmissions', 'stayDays']

async function read(path: string, data: object = SPECIFICATION.data): Promise<string[]> {
  const found: string[] = []
  const source = { path, data: data as typeof SPECIFICATION.data, fields: FIELDS, domains: CATALOG.domains }
  await readLabelled(source, ({ record, outcome, patient }) =>
    found.push(`${JSON.stringify(FIELDS.map((field) => record[field]))} ${outcome} ${patient}`),
  )
  return found
}

const expected = await read(fileWith('expected.csv', csv))
test('the first row is as it was invented', () => {
  const { age, sex, admissions, stay, died } = rows[0] as (typeof rows)[number]
  assert.equal(expected[0], `${JSON.stringify([age, sex, admissions, stay])} ${died} 0`)
})
for (const [name, content] of FILES) {
  test(`the same rows from ${name}`, async () =>
    assert.deepEqual(await read(fileWith(name, content)), expected))
}

test('quotes may hold separators, quotes and line ends, and lines are counted on', async () => {
  const path = fileWith('a.csv', 'a,b\n"x,1","y ""z""\nw"\n2,3\n')
  assert.deepEqual(await readTexts(path, ['b', 'a']), [
    [2, 'y "z"\nw', 'x,1'],
    [4, '3', '2'],
  ])
})

/** The same small table as a file of each kind that is read in its own way; null is an empty cell. */
function asFiles(table: readonly Readonly<Record<string, string | number | null>>[]): readonly string[] {
  const header = Object.keys(table[0] ?? {})
  const cells = table.map((row) => Object.values(row).join(','))
  const lines = table.map((row) => JSON.stringify(row))
  return [fileWith('a.csv', [header.join(), ...cells].join('\n')), fileWith('a.ndjson', lines.join('\n'))]
}

test('exclusions, missing texts and missing outcomes are counted with their reasons', async () => {
  const table = [
    { patient: 1, age: 70, sex: 'F', admissions: '?', stay: 3, died: 1 },
    { patient: 1, age: 71, sex: 'F', admissions: 0, stay: 3, died: null },
    { patient: 2, age: 72, sex: 'X', admissions: 0, stay: 3, died: 0 },
    { patient: 2, age: 73, sex: 'F', admissions: 0, stay: 3, died: '?' },
  ]
  const data = {
    ...SPECIFICATION.data,
    missing: ['', '?'],
    exclude: [{ column: 'sex', values: ['X'], reason: 'other sex' }],
  }
  for (const path of asFiles(table)) {
    const seen: unknown[] = []
    const source = { path, data, fields: FIELDS, domains: CATALOG.domains }
    const intake = await readLabelled(source, ({ record }) => seen.push(record['inpatientAdmissions']))
    assert.deepEqual(seen, [null])
    assert.deepEqual(Object.fromEntries(intake.leftOut), { 'no outcome': 2, 'other sex': 1 })
    assert.equal(intake.rows, 4)
  }
})

for (const [name, content] of [
  ['a.csv', 'age,died\n999,1\n70,0\n'],
  ['a.ndjson', '{"age":999,"died":1}\n{"age":70,"died":0}\n'],
] as const) {
  test(`a number that stands for no value is read as missing, in ${name}`, async () => {
    const data = { outcome: { column: 'died', yes: ['1'], no: ['0'] }, missing: ['', '999'] }
    const seen: unknown[] = []
    const source = { path: fileWith(name, content), data, fields: ['age'], domains: CATALOG.domains }
    await readLabelled(source, ({ record }) => seen.push(record['age']))
    assert.deepEqual(seen, [null, 70])
  })
}

test('a missing number is missing, not a large one', async () => {
  const data = { outcome: { column: null } }
  const seen: unknown[] = []
  const source = { path: fileWith('a.csv', 'haemoglobin,age\n12.5,70\n,71\n'), data, fields: ['haemoglobin'] }
  await readLabelled({ ...source, domains: CATALOG.domains }, ({ record }) =>
    seen.push(record['haemoglobin']),
  )
  assert.deepEqual(seen, [12.5, null])
})

test('decimal commas where they are announced', async () => {
  const data = { outcome: { column: 'died', yes: ['1'], no: ['0'] }, decimalComma: true }
  const path = fileWith('a.csv', 'haemoglobin;died\n12,5;1\n-0,25;0\n14;0\n')
  const seen: unknown[] = []
  const source = { path, data, fields: ['haemoglobin'], domains: CATALOG.domains }
  await readLabelled(source, ({ record }) => seen.push(record['haemoglobin']))
  assert.deepEqual(seen, [12.5, -0.25, 14])
})

for (const [name, content] of [
  ['a.csv', 'age,died,who\n70,1,b\n71,0,a\n72,0,b\n73,0,\n74,0,\n'],
  ['a.ndjson', ['b', 'a', 'b', '', null].map((who) => JSON.stringify({ age: 70, died: 0, who })).join('\n')],
] as const) {
  test(`rows of one patient have one number, and a row without a name one of its own, in ${name}`, async () => {
    const data = { outcome: { column: 'died', yes: ['1'], no: ['0'] }, patient: 'who' }
    const seen: number[] = []
    const source = { path: fileWith(name, content), data, fields: ['age'], domains: CATALOG.domains }
    const { patients, blankPatients } = await readLabelled(source, ({ patient }) => seen.push(patient))
    assert.deepEqual([seen, patients, blankPatients], [[0, 1, 0, 2, 3], 4, 2])
  })
}

test('the copy of a gzipped Parquet file is removed', async () => {
  const path = fileWith('a.parquet.gz', gzipSync(parquet))
  const before = process.env['TMPDIR']
  const place = newFolder()
  process.env['TMPDIR'] = place
  try {
    assert.deepEqual(await read(path), expected)
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
  assert.deepEqual(readdirSync(place), [])
})

test('codes by their start and as a whole, maps, and constants, as a specification writes them', async () => {
  const table = [
    { one: 250, two: 'V45', band: '[70-80)', sexCode: 1, died: 0 },
    { one: '428.1', two: 'x', band: 'NA', sexCode: 2, died: 1 },
    { one: null, two: '2501', band: null, sexCode: 1, died: 0 },
  ]
  const columns = {
    dementia: { columns: ['one', 'two'], startsWith: ['428'], equals: ['250'], yes: true, no: 'false' },
    age: { column: 'band', map: { '[70-80)': '75' } },
    sex: { column: 'sexCode', map: { 1: 'F', 2: 'M' } },
    stayDays: { constant: '4' },
    acuteAdmission: { constant: null },
  }
  const data = { outcome: { column: 'died', yes: ['1'], no: ['0'] }, columns }
  const fields = Object.keys(columns)
  for (const path of asFiles(table)) {
    const seen: unknown[] = []
    await readLabelled({ path, data, fields, domains: CATALOG.domains }, ({ record }) =>
      seen.push(fields.map((field) => record[field])),
    )
    assert.deepEqual(seen, [
      [true, 75, 'F', 4, null],
      [true, null, 'M', 4, null],
      [false, null, 'F', 4, null],
    ])
  }
})

test('groups, weights, months and the competing event have the same texts in every kind of file', async () => {
  const table = [
    { ward: 'A', weight: 2, month: '2026-11', first: 1 },
    { ward: 'NA', weight: 1.5, month: '2026-12', first: 0 },
    { ward: null, weight: 1e-7, month: '', first: 'yes' },
  ]
  for (const path of asFiles(table)) {
    assert.deepEqual(await readTexts(path, ['ward', 'month', 'first'], ['', 'NA']), [
      [path.endsWith('csv') ? 2 : 1, 'A', '2026-11', '1'],
      [path.endsWith('csv') ? 3 : 2, 'missing', '2026-12', '0'],
      [path.endsWith('csv') ? 4 : 3, 'missing', 'missing', 'yes'],
    ])
    assert.deepEqual(
      (await readTexts(path, ['weight'])).map((row) => Number((row as unknown[])[1])),
      [2, 1.5, 1e-7],
    )
  }
})

test('a sample keeps quantiles when it must leave values out', () => {
  const sample = new Sample()
  for (let value = 0; value < 1_000_000; value++) sample.add((value * 7919) % 1000)
  assert.ok(sample.size <= 200_000)
  for (const share of [0.1, 0.5, 0.9]) assert.ok(Math.abs(sample.quantile(share) - share * 1000) <= 10)
})

test('any table is read as it was written as CSV, without the spaces around its cells', async () => {
  const cell = fc.string({ maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 24 }), async (table) => {
      const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`
      const path = fileWith('a.csv', `a,b\n${table.map((row) => row.map(quote).join(',')).join('\n')}\n`)
      const found = await readTexts(path, ['a', 'b'])
      const expected = table.map((row) => row.map((text) => trimCell(text) || 'missing'))
      assert.deepEqual(
        found.map((row) => (row as unknown[]).slice(1)),
        expected,
      )
    }),
    { numRuns: 20 },
  )
})
