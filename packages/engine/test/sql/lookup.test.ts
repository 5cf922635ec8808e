/** `sql --lookup`: the answers of the plain form, by an index, and what it refuses. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { needsPostgres } from '../../../../test/support/postgres-server.ts'
import { type Ran, runHere } from '../../../../test/support/run-command.ts'
import { DIALECTS } from '../../src/sql/dialect.ts'
import { catalogueModel } from './cases.ts'
import { agreeOnLookups, useLookups } from './lookup-tables.ts'

const database = useLookups()

describe('random tables', () => {
  agreeOnLookups(database, ['readmission30', 'profund'].map(catalogueModel), 200)
})

const print = (...args: readonly string[]): Promise<Ran> =>
  runHere(['sql', '--model', 'charlson10y', '--lookup', ...args])

describe('a view over a table with a primary key', needsPostgres(), () => {
  for (const [name, ...unique] of [['plain'], ['without the check', '--unique']] as const) {
    test(`${name}: a condition on idx, on a kept column or a join is answered by indexes alone`, async () => {
      const { client } = database()
      await client.query('DROP TABLE IF EXISTS people CASCADE')
      await client.query(
        'CREATE TABLE people (idx bigint PRIMARY KEY, age int, charlson_total int, ward int)',
      )
      await client.query(
        'INSERT INTO people SELECT i, 20 + i % 80, i % 5, i / 10 FROM generate_series(1, 10000) AS i',
      )
      await client.query('CREATE INDEX ON people (ward)')
      await client.query('ANALYZE people')
      const table = ['--dialect', 'postgres', '--table', 'public."people"', '--keep', 'ward']
      const { out, code } = await print(...table, ...unique)
      assert.equal(code, 0)
      await client.query(`CREATE VIEW risks AS ${out}`)
      for (const asked of [
        'SELECT * FROM risks WHERE idx = 4711',
        'SELECT * FROM risks WHERE ward = 30',
        'SELECT * FROM (VALUES (5), (6)) AS w (i) JOIN risks ON idx = i',
      ]) {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${asked}`)
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        assert.match(
          plan,
          /Index Scan using people_\w+ on people patient_row|Bitmap Heap Scan on people patient_row/,
        )
        assert.doesNotMatch(plan, /Seq Scan/)
      }
      const { rows } = await client.query('SELECT * FROM risks WHERE idx = 25')
      assert.deepEqual(rows, [{ idx: '25', risk: 0.017, error_message: null, ward: 2 }])
    })
  }
})

describe('an identifier of any type', needsPostgres(), () => {
  test('repeats are found, and the column is shown as it is', async () => {
    const { client } = database()
    await client.query('CREATE TABLE named (patient text, age int, charlson_total int)')
    await client.query(
      "INSERT INTO named VALUES ('A', 45, 0), ('B', 45, 0), ('B', 45, 0), ('', 45, 0), (NULL, 45, 0)",
    )
    const { out } = await print('--dialect', 'postgres', '--table', 'named', '--id', 'patient')
    const { rows } = await client.query<{ idx: string; risk: number; error_message: string }>(
      `SELECT * FROM (${out}) AS answers ORDER BY idx NULLS LAST`,
    )
    assert.deepEqual(
      rows.map(({ idx, risk, error_message }) => [
        idx,
        risk,
        /\((duplicate)|ValueMissing/.exec(error_message)?.[0],
      ]),
      [
        ['', null, 'ValueMissing'],
        ['A', 0.017, undefined],
        ['B', null, '(duplicate'],
        ['B', null, '(duplicate'],
        [null, null, 'ValueMissing'],
      ],
    )
  })
})

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  ...DIALECTS.filter(({ name }) => name !== 'postgres').map(
    ({ name }) => [['--dialect', name], /--lookup is for --dialect postgres\./] as const,
  ),
  [
    ['--dialect', 'postgres', '--table', '(SELECT 1) AS x'],
    /--lookup needs the name of a table or view after --table; \(SELECT 1\) AS x is more than a name\./,
  ],
  [['--dialect', 'postgres', '--table', 'patients p'], /more than a name/],
  [['--dialect', 'postgres', '--columns', 'idx:cell,age'], /--lookup needs an idx of the type integer/],
]
for (const [args, message] of REFUSED) {
  test(`refused: ${args.join(' ')}`, async () => {
    const { code, err } = await print(...args)
    assert.equal(code, 2)
    assert.match(err, message)
  })
}
