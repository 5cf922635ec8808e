/** What the options of `patient-risk sql` add to a statement, in the text for every dialect and in DuckDB and PostgreSQL. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { loadCatalog, makeDeployments } from '@patient-risk/catalog'
import { DIALECTS } from '../../src/sql/dialect.ts'
import { needsPostgres, useDatabases, whyNoPostgres } from '../../../../test/support/postgres-server.ts'
import { type Ran, inFolder, runHere } from '../../../../test/support/run-command.ts'

type Row = Readonly<Record<string, unknown>>
type Run = (query: string) => Promise<readonly Row[]>

const runs = new Map<string, Run>()
const closing: (() => Promise<void>)[] = []
// Before the server ends, which `useDatabases` sees to.
after(async () => {
  for (const close of closing) await close()
})
const newDatabase = useDatabases()

before(async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  runs.set('duckdb', async (query) => (await connection.runAndReadAll(query)).getRowObjectsJS())
  closing.push(() => {
    connection.closeSync()
    instance.closeSync()
    return Promise.resolve()
  })
  if (whyNoPostgres() === undefined) {
    const client = new pg.Client({ connectionString: await newDatabase() })
    await client.connect()
    runs.set('postgres', async (query) => (await client.query<Row>(query)).rows)
    closing.push(() => client.end())
  }
  for (const run of runs.values()) {
    await run(
      'CREATE TABLE patients (idx bigint, age int, charlson_total int, charlson_date date, ward text)',
    )
    await run(
      "INSERT INTO patients VALUES (1, 50, 0, '2026-11-18', 'A'), (2, 50, 0, '2026-11-19', 'B'), (2, 45, 0, NULL, NULL)",
    )
  }
})

const MODEL = ['--model', 'charlson10y', '--columns', 'idx,age,charlson_total,charlson_date,ward']
const TODAY = ['--today', '2026-11-18']
const print = (dialect: string, ...args: readonly string[]): Promise<Ran> =>
  runHere(['sql', '--dialect', dialect, ...MODEL, ...args])

for (const name of ['duckdb', 'postgres']) {
  describe(name, name === 'postgres' ? needsPostgres() : {}, () => {
    const rowsOf = async (...args: readonly string[]): Promise<readonly Row[]> => {
      const { out } = await print(name, ...args, '--keep', 'ward')
      const run = runs.get(name) ?? assert.fail()
      return run(`SELECT * FROM (${out}) AS answers ORDER BY ward NULLS LAST`)
    }

    test('--keep carries a column, with its NULL, and repeated rows are refused', async () => {
      const rows = await rowsOf(...TODAY)
      assert.deepEqual(Object.keys(rows[0] ?? {}), ['idx', 'risk', 'error_message', 'ward'])
      assert.deepEqual(
        rows.map(({ ward, risk }) => [ward, risk]),
        [
          ['A', 0.0413],
          ['B', null],
          [null, null],
        ],
      )
    })

    test('--unique answers both rows of an idx, and --source says in every row where they come from', async () => {
      const rows = await rowsOf(...TODAY, '--unique', '--source')
      assert.deepEqual(
        rows.map(({ risk }) => risk),
        [0.0413, 0.0413, 0.017],
      )
      assert.match(String(rows[1]?.['error_message']), /date in the future/)
      for (const row of rows) {
        assert.match(String(row['model']), /^charlson10y@\d+\.\d+\.\d+$/)
        assert.match(String(row['deployment_digest']), /^sha-256=:[A-Za-z0-9+/]{43}=:$/)
      }
    })

    test('--today a day later: the date is not in the future', async () => {
      const [, second] = await rowsOf('--today', '2026-11-19', '--unique')
      assert.equal(second?.['error_message'], null)
    })
  })
}

for (const { name } of DIALECTS) {
  describe(name, () =>
    test('the first comment says that nothing looks for repeats', async () => {
      const { out } = await print(name, ...TODAY, '--unique')
      const [comment = ''] = out.split('\n')
      assert.match(
        comment,
        /Today is 2026-11-18\. Repeated identifiers are not looked for: the table must not /,
      )
      assert.doesNotMatch(out, /GROUP BY|repeated IS NOT NULL/)
    }),
  )
}

test('the digest of a yes-no output is another one', async () => {
  const digestIn = ({ out }: Ran): string => /'(sha-256=:\S+:)' AS deployment_digest/.exec(out)?.[1] ?? ''
  const number = digestIn(await print('duckdb', '--source'))
  const yesNo = digestIn(await print('duckdb', '--source', '--output-kind', 'yes-no', '--threshold', '0.15'))
  assert.ok(number.length > 0 && yesNo.length > 0)
  assert.notEqual(number, yesNo)
})

test('the digest is that of the service: the time zone of the configuration is part of it', async () => {
  const { catalog } = loadCatalog(['clinical'])
  if (catalog === undefined) throw new Error('the catalogue of this repository is not valid')
  const entry = { name: 'one', basePath: '/', model: 'charlson10y', output: 'number' } as const
  await inFolder(async (folder) => {
    for (const timeZone of ['Pacific/Auckland', 'Europe/Madrid']) {
      const config = join(folder, 'config.json')
      writeFileSync(config, JSON.stringify({ timeZone, deployments: [entry] }))
      const args = ['sql', '--dialect', 'duckdb', '--deployment', 'one', '--source']
      const { out } = await runHere(args, { CONFIG: config })
      const made: ReturnType<typeof makeDeployments> = makeDeployments(catalog, [entry], timeZone)
      assert.equal(/'sha-256=:(\S+):' AS deployment_digest/.exec(out)?.[1], made.deployments[0]?.digest)
    }
  })
})

test('without an option nothing is added, and a kept column is not reported as unknown', async () => {
  const plain = await print('duckdb')
  assert.match(plain.err, /The column ward is not a field and is ignored/)
  assert.doesNotMatch(plain.out, /deployment_digest|ward|Today is|Repeated identifiers/)
  assert.match(plain.out, /GROUP BY idx\d+ HAVING count/)
  assert.equal((await print('duckdb', '--keep', 'ward')).err, '')
})

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [['--today', '18-11-2026'], /--today takes a day, YYYY-MM-DD\./],
  [['--today', '2026-02-29'], /--today 2026-02-29: there is no such day\./],
  [['--today', '1899-12-31'], /--today 1899-12-31: the earliest day is 01-01-1900\./],
  [['--keep', ''], /--keep names no column\./],
  [['--keep', 'wards'], /--keep wards: --columns does not list it\. Is it ward\?/],
  [['--keep', 'Risk'], /--keep Risk: the results already have a column of that name\./],
  [['--keep', 'ward', '--keep', 'ward'], /--keep ward: the results already have/],
  [['--keep', 'notices', '--notices'], /--keep notices: the results already have/],
  [['--keep', 'model', '--source'], /--keep model: the results already have/],
]
for (const [args, message] of REFUSED) {
  test(`refused: ${args.join(' ')}`, async () => {
    const { code, err } = await print('duckdb', ...args)
    assert.equal(code, 2)
    assert.match(err, message)
  })
}

test('columns named notices and model can be kept where the results have none', async () => {
  const { code } = await runHere(['sql', '--dialect', 'duckdb', '--keep', 'notices', '--keep', 'model'])
  assert.equal(code, 0)
})
