/** A file whose codes or units mean something else: named in the summary, exit code 4, and kept by the manifest. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { type PatientRecord, patientsOf } from '../../../../test/simulate/feed-patients.ts'
import { runHere } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'doubts-'))
after(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

/** Women are M, and one man is H, after all rows that a sample would hold. */
const records = Array.from({ length: 500 }, (_each, place) => ({
  idx: place + 1,
  age: 60 + ((place * 7) % 37),
  sex: place === 499 ? 'H' : 'M',
  inpatientAdmissions: (place * 3) % 4,
  emergencyAdmissions: (place * 11) % 5,
  stayDays: 1 + ((place * 5) % 13),
}))
const rows = records.map((record) => Object.values(record).join(','))
const csv = `${Object.keys(records[0] ?? {}).join(',')}\n${rows.join('\n')}\n`
writeFileSync(at('spanish.csv'), csv)
writeFileSync(at('spanish.ndjson'), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
writeFileSync(at('spanish.json'), JSON.stringify(records))
writeFileSync(at('plain.csv'), csv.replace(',H,', ',F,'))
const model = ['--model', 'readmission30'] as const
const DOUBT =
  /Doubts about the data .*\n {2}\S+: sex: this sender also writes codes of another convention, where "M"/

for (const name of ['spanish.csv', 'spanish.ndjson', 'spanish.json']) {
  test(`${name}: one H makes M ambiguous; exit code 4, and the output is written`, async () => {
    const output = at(`${name}.out.csv`)
    const { code, err } = await runHere(['score', at(name), ...model, '--output', output])
    assert.equal(code, 4, err)
    assert.match(err, DOUBT)
    assert.ok(existsSync(output))
  })
}

test('Parquet has the same doubt', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (FROM read_csv('${at('spanish.csv')}')) TO '${at('spanish.parquet')}'`)
  const { code, err } = await runHere(['score', at('spanish.parquet'), ...model, '--output', at('p.csv')])
  assert.equal(code, 4, err)
  assert.match(err, DOUBT)
})

test('--accept-doubts gives 0 and still says it; 3 goes before 4; the same file without H has neither', async () => {
  const score = ['score', at('spanish.csv'), ...model, '--output', at('a.csv')]
  const accepted = await runHere([...score, '--accept-doubts'])
  assert.equal(accepted.code, 0, accepted.err)
  assert.match(accepted.err, DOUBT)
  assert.equal((await runHere([...score, '--fail-on', 'unscored'])).code, 3)
  const plain = await runHere(['score', at('plain.csv'), ...model, '--output', at('b.csv')])
  assert.doesNotMatch(plain.err, /sex: this sender/)
})

test('--changed: the doubt about an input that is not scored again stays', async () => {
  mkdirSync(at('in'))
  writeFileSync(at('in/spanish.csv'), csv)
  const score = ['score', at('in'), ...model, '--output-dir', at('out'), '--changed', '--quiet']
  for (const run of ['first', 'second']) {
    const { code, err } = await runHere(score)
    assert.equal(code, 4, `${run}: ${err}`)
    assert.match(err, DOUBT)
  }
})

test('sql --doubts prints a statement with a row for each doubt', async () => {
  const table = `read_csv('${at('spanish.csv')}')`
  const printed = await runHere(['sql', ...model, '--dialect', 'duckdb', '--doubts', '--table', table])
  assert.equal(printed.code, 0, printed.err)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const found = (await connection.runAndReadAll(printed.out)).getRowObjectsJson()
  assert.ok(found.some((row) => ['sex', 'codes', '1'].every((text, at) => Object.values(row)[at] === text)))
  const refused = await runHere(['sql', ...model, '--dialect', 'duckdb', '--doubts', '--notices'])
  assert.equal(refused.code, 2)
})

const inMmol = (record: PatientRecord): PatientRecord => ({
  ...record,
  haemoglobin: Number((Number(record['haemoglobin']) * 0.6206).toFixed(1)),
})
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const TABLES: readonly (readonly [string, readonly string[], (record: PatientRecord) => PatientRecord])[] = [
  ['a right table', [], (record) => record],
  ['haemoglobin in mmol/L', ['haemoglobin'], inMmol],
  ['exchanged sexes', ['sex'], (record) => ({ ...record, sex: record['sex'] === 'F' ? 'M' : 'F' })],
]
for (const [name, doubted, change] of TABLES) {
  test(`sql --doubts asks the questions of the service: ${name}`, async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const file = at(`${name.replaceAll('/', ' per ')}.ndjson`)
    writeFileSync(
      file,
      patientsOf(3, 300)
        .map((record) => `${JSON.stringify(change(record))}\n`)
        .join(''),
    )
    await connection.run(`CREATE TABLE patients AS FROM read_json('${file}', sample_size = -1)`)
    const described = (await connection.runAndReadAll('DESCRIBE patients')).getRowObjectsJson()
    const types: Readonly<Record<string, string>> = {
      BIGINT: 'integer',
      DOUBLE: 'number',
      BOOLEAN: 'boolean',
    }
    const columns = described.map(({ column_name: column, column_type: type }) => {
      return `${textOf(column)}:${types[textOf(type)] ?? 'text'}`
    })
    const asked = ['--dialect', 'duckdb', '--doubts', '--columns', columns.join(',')]
    const printed = await runHere(['sql', ...model, ...asked])
    assert.equal(printed.code, 0, printed.err)
    const rows = (await connection.runAndReadAll(printed.out)).getRowObjectsJson()
    const fields = new Set(rows.map(({ field }) => textOf(field)))
    for (const field of doubted) assert.ok(fields.has(field), [...fields].join(', '))
    if (doubted.length === 0) assert.deepEqual(rows, [])
  })
}
