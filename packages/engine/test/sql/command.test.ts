/** The command that prints SQL. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { duckdb, postgres } from '../../src/sql/dialect.ts'
import { NotInSql } from '../../src/sql/not-in-sql.ts'
import { selectFor } from '../../src/sql/select.ts'
import { type Ran, runHere } from '../../../../test/support/run-command.ts'
import { model } from '../../../../test/support/small-definitions.ts'
import { DEFINITIONS, catalogueModel } from './cases.ts'
import { openDuckDb } from './duckdb.ts'
import { needsPostgres, useDatabases } from '../../../../test/support/postgres-server.ts'
import { openPostgres } from './postgres.ts'

const newDatabase = useDatabases()

const run = (...args: readonly string[]): Promise<Ran> => runHere(['sql', ...args])

test('the query is headed by the model, its version and its digest', () => {
  const args = ['bin/patient-risk.js', 'sql', '--dialect', 'duckdb', '--model', 'lace']
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.equal(status, 0)
  assert.match(stdout, /^-- lace@\d+\.\d+\.\d+, sha-256=:[A-Za-z0-9+/=]+:, output number, for duckdb\./)
})

test('an unknown column is reported once, with the names that may have been meant', async () => {
  const { code, err } = await run(
    '--dialect',
    'spark',
    '--model',
    'readmission30',
    '--columns',
    'idx,age,sex,stayDay,foo',
  )
  assert.equal(code, 0)
  assert.match(err, /The column stayDay is not a field and is ignored\. Is it stayDays\?/)
  assert.match(err, /The column foo is not a field and is ignored\.\n/)
  assert.match(err, /No column holds emergencyAdmissions, an input of the model\./)
})

test('--notices adds a column, judged by the day of the query', async () => {
  const columns = ['--columns', 'idx,age,barthel_date']
  const { out } = await run('--dialect', 'spark', '--notices', ...columns)
  assert.match(out, /\n {2}t\d+_notices AS notices\nFROM/)
  assert.match(out, /EXTRACT\(YEAR FROM current_date\(\)\) \* 10000/)
  assert.doesNotMatch((await run('--dialect', 'spark', ...columns)).out, /notices/)
})

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /--dialect takes duckdb, postgres, spark, clickhouse\./],
  [['--dialect', 'oracle'], /--dialect takes/],
  [['--dialect', 'duckdb', '--columns', 'age'], /No column is the idx/],
  [['--dialect', 'duckdb', '--columns', 'idx,age:word'], /a type is cell, text/],
  [['--dialect', 'duckdb', '--map', 'ages=x'], /Did you mean age\?/],
]
for (const [args, message] of REFUSED) {
  test(`refused: ${args.join(' ')}`, async () => {
    const { code, err } = await run(...args)
    assert.equal(code, 2)
    assert.match(err, message)
  })
}

test('a logarithm of a decimal field is refused with a sentence', () => {
  const definition = model({ creatinine: {} }, [
    { kind: 'logarithm', field: 'creatinine', plus: 1, coefficient: 1 },
  ])
  const columns = new Map([['idx', { name: 'idx', type: 'integer' as const }]])
  const options = { dialect: duckdb, source: 'patients', columns, output: { kind: 'number' } as const }
  assert.throws(() => selectFor(DEFINITIONS, { definition, digest: '' }, options), NotInSql)
})

describe('an identifier of any type', () => {
  const table = {
    columns: [
      { name: 'patient', type: 'text' as const },
      { name: 'age', type: 'integer' as const },
      { name: 'charlson_total', type: 'integer' as const },
    ],
    rows: [
      ['A"1\\', 300, 0],
      ['B', 50, 0],
      ['B', 50, 0],
      [null, 50, 0],
      ['C\n', 45, 0],
    ],
  }
  const problem = (field: string, message: string): object => ({
    Field: field,
    FieldDate: '',
    ExtendError: message,
  })
  const expected = [
    ['A"1\\', 'null', [problem('age', 'ValueError for value Age in idx A"1\\ (out of range)')]],
    ['B', 'null', [problem('idx', 'ValueError for value Idx in idx B (duplicate)')]],
    ['B', 'null', [problem('idx', 'ValueError for value Idx in idx B (duplicate)')]],
    ['null', 'null', [problem('idx', 'ValueMissing for value idx')]],
    ['C\n', '0.017', null],
  ]
  for (const [open, dialect] of [
    [openDuckDb, duckdb],
    [async () => openPostgres(await newDatabase()), postgres],
  ] as const) {
    test(dialect.name, dialect === postgres ? needsPostgres() : {}, async () => {
      const database = await open()
      try {
        await database.load('patients', table)
        const columns = new Map(table.columns.slice(1).map((column) => [column.name, column]))
        const options = {
          dialect,
          source: 'patients',
          columns,
          id: 'patient',
          keep: ['pos'],
          output: { kind: 'number' } as const,
        }
        const rows = await database.rows(
          selectFor(DEFINITIONS, { definition: catalogueModel('charlson10y'), digest: '' }, options),
        )
        const found = [...rows]
          .sort((a, b) => a.pos - b.pos)
          .map(({ idx, risk, message }) => [idx, risk, JSON.parse(message) as unknown])
        assert.deepEqual(found, expected)
      } finally {
        await database.close()
      }
    })
  }
})
