/** A value that stands for no value is read the same way by `score` and by `learn`, in columns of every type. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readLabelled } from '../../../src/learn/data/read-labelled.ts'
import { cleanRecord } from '../../../../../test/support/records.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { scoreFile } from '../score-file.ts'
import { writeParquet } from '../../../../../test/support/table-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'missing-'))
after(() => rmSync(folder, { recursive: true }))
const catalog = testCatalog()

/** The type of the column, its value, the text that stands for no value, and whether it is the value. */
const CASES: readonly (readonly [string, string | number, string, boolean])[] = [
  ['INTEGER', 999, '999', true],
  ['BIGINT', -1, '-1', true],
  ['DOUBLE', 999, '999', true],
  ['DOUBLE', 99.5, '99.5', true],
  ['FLOAT', 999, '999', true],
  ['DECIMAL(6,2)', 999, '999', true],
  ['VARCHAR', ' NA ', 'NA', true],
  ['csv', 'NA', 'NA', true],
  ['csv', '999', '999', true],
  ['DOUBLE', 7, '999', false],
  ['DOUBLE', 7, 'NA', false],
  ['FLOAT', 7, '999', false],
  ['DECIMAL(6,2)', 7, '999', false],
  ['SMALLINT', 7, '999', false],
  ['UBIGINT', 7, '999', false],
  ['INTEGER', 9, '999', false],
  ['csv', '9', '999', false],
]
for (const [type, value, text, isMissing] of CASES) {
  const read = `${isMissing ? '' : 'not '}missing`
  test(`${value} in a column of type ${type} is ${read} where ${text} stands for no value`, async () => {
    const row = { ...cleanRecord(999), stayDays: value, died: 1 }
    const names = Object.keys(row)
    const input = join(folder, type === 'csv' ? 'in.csv' : 'in.parquet')
    const types: Readonly<Partial<Record<string, string>>> = { sex: 'VARCHAR', stayDays: type }
    if (type === 'csv') writeFileSync(input, `${names.join()}\n${Object.values(row).join()}\n`)
    else
      await writeParquet(input, Object.fromEntries(names.map((name) => [name, types[name] ?? 'INTEGER'])), [
        row,
      ])
    const output = join(folder, 'out.ndjson')
    const from = type === 'csv' ? 'csv' : 'parquet'
    const columnOptions = { missing: [text] }
    await scoreFile({ input, from, output, to: 'ndjson', catalog, today: 20260601, columnOptions })
    const { idx, error_message: problems } = JSON.parse(readFileSync(output, 'utf8')) as Result
    const found = problems?.map(({ ExtendError }) => ExtendError) ?? []
    assert.deepEqual(found, isMissing ? ['ValueMissing for value stayDays'] : [])
    // An identifier is what it is.
    assert.equal(idx, 999)
    const data = { outcome: { column: 'died', yes: ['1'], no: ['0'] }, missing: [text] }
    const source = { path: input, data, fields: ['stayDays'], domains: catalog.domains }
    await readLabelled(source, ({ record }) => assert.equal(record['stayDays'] === null, isMissing))
  })
}

interface Result {
  readonly idx: unknown
  readonly error_message: readonly { readonly ExtendError: string }[] | null
}
