/** `sql --doubts` asks a table what the service asks a feed: the statement is run on invented patients of one hospital. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { type PatientRecord, patientsOf } from '../../../../test/simulate/feeds/patients.ts'
import { runHere } from '../../../../test/support/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'sql-doubts-'))
after(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
const model = ['--model', 'readmission30'] as const

const inMmol = (record: PatientRecord): PatientRecord => ({
  ...record,
  haemoglobin: Number((Number(record['haemoglobin']) * 0.6206).toFixed(1)),
})
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
/** A table · the fields that are named, and no others · what its sender does. */
const TABLES: readonly (readonly [string, readonly string[], (record: PatientRecord) => PatientRecord])[] = [
  ['a right table', [], (record) => record],
  ['haemoglobin in mmol/L', ['haemoglobin'], inMmol],
  ['exchanged sexes', ['sex'], (record) => ({ ...record, sex: record['sex'] === 'F' ? 'M' : 'F' })],
  [
    // Visits of six months are then more than those of twelve, and are right.
    'missing visits as −1',
    ['emergencyAdmissions'],
    (record) => (Number(record['idx']) % 6 === 0 ? { ...record, emergencyAdmissions: -1 } : record),
  ],
  [
    'exchanged counts',
    ['emergencyAdmissions', 'edVisits6Months'],
    (record) => ({
      ...record,
      emergencyAdmissions: record['edVisits6Months'],
      edVisits6Months: record['emergencyAdmissions'],
    }),
  ],
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
      HUGEINT: 'integer',
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
    assert.deepEqual([...fields].sort(), doubted.toSorted())
  })
}
