/** The recipe for PostgreSQL, night after night: only what has changed is scored, and the table has what the view says of every row. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { needsPostgres, useDatabases } from '../../../../test/support/postgres-server.ts'
import { runHere } from '../../../../test/support/run-command.ts'
import { NEXT, useNextModel } from './next-model.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-nightly-postgres-'))
after(() => rmSync(folder, { recursive: true }))
const newDatabase = useDatabases()
const recipe = (name: string): string => readFileSync(join('examples/postgres', name), 'utf8')
/** The arguments of the page, with the columns of this table. */
const [, PAGE_ARGS = ''] = /npx patient-risk (sql .*)/.exec(recipe('README.md')) ?? []
const INPUTS = 'idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const ARGS = [...PAGE_ARGS.split(' '), '--columns', `${INPUTS},barthel_date,updated_at`]

interface Night {
  readonly patients: number
  readonly written: number
  readonly removed: number
  readonly unscored: number
}

describe('the recipe for PostgreSQL', needsPostgres(), () => {
  let url = ''
  let client: pg.Client
  before(async () => {
    url = await newDatabase()
    client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(
      `CREATE TABLE patients (idx bigint PRIMARY KEY, age int, sex text, "inpatientAdmissions" int, "emergencyAdmissions" int,
         "stayDays" int, barthel_date date, updated_at timestamptz)`,
    )
    await client.query(
      `INSERT INTO patients
       SELECT i, CASE WHEN i % 20 = 0 THEN 300 ELSE 60 + i % 40 END, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END, i % 4, i % 3, i % 20,
         CASE WHEN i = 7 THEN current_date + 1 WHEN i = 8 THEN current_date END, timestamptz '2026-01-01' + i * interval '1 minute'
       FROM generate_series(1, 200) AS i`,
    )
    await printView({})
    // Running it twice changes nothing.
    await client.query(recipe('setup.sql'))
    await client.query(recipe('setup.sql'))
  })
  after(() => client.end())

  async function printView(env: Readonly<Record<string, string>>): Promise<void> {
    const args = env['CONFIG'] === undefined ? ARGS : without(ARGS, '--model')
    const { out, code, err } = await runHere(args, env)
    assert.equal(code, 0, err)
    await client.query(`CREATE OR REPLACE VIEW readmission_risk AS\n${out}`)
  }

  /** Runs the job, and says what it has done. After it the table has what the view says of every row. */
  async function night(): Promise<Night> {
    await client.query(recipe('nightly.sql'))
    const view =
      'SELECT idx, risk, error_message::jsonb, model, deployment_digest, updated_at FROM readmission_risk'
    const kept = 'SELECT idx, risk, error_message, model, deployment_digest, source_at FROM risks'
    const { rows: differences } = await client.query(
      `(${view} EXCEPT ${kept}) UNION ALL (${kept} EXCEPT ${view})`,
    )
    assert.deepEqual(differences, [])
    const { rows } = await client.query<Record<keyof Night, string>>(
      'SELECT patients, written, removed, unscored FROM risk_runs ORDER BY run_id DESC LIMIT 1',
    )
    return Object.fromEntries(
      Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]),
    ) as unknown as Night
  }

  /** The rows that were written since the last call. */
  async function written(): Promise<readonly number[]> {
    const { rows } = await client.query<{ idx: string }>(
      'SELECT idx FROM risks WHERE scored_at = (SELECT max(started) FROM risk_runs) ORDER BY idx',
    )
    return rows.map(({ idx }) => Number(idx))
  }

  test('the first night scores all rows, and says which model made each answer', async () => {
    assert.deepEqual(await night(), { patients: 200, written: 200, removed: 0, unscored: 10 })
    const { rows } = await client.query<{ risk: number; model: string; deployment_digest: string }>(
      'SELECT risk, model, deployment_digest FROM risks WHERE idx = 1',
    )
    const { risk, model = '', deployment_digest: digest = '' } = rows[0] ?? {}
    assert.equal(risk, 0.1268)
    assert.match(model, /^readmission30@\d+\.\d+\.\d+$/)
    assert.match(digest, /^sha-256=:[\w+/]{43}=:$/)
  })

  test('a night without changes writes nothing', async () => {
    assert.deepEqual(await night(), { patients: 200, written: 0, removed: 0, unscored: 10 })
  })

  test('a night writes what is new, changed or late, and removes what is gone', async () => {
    await client.query('UPDATE patients SET age = age + 1, updated_at = now() WHERE idx IN (11, 12)')
    // Its time is older than that of all others.
    await client.query(
      "INSERT INTO patients VALUES (900, 70, 'F', 0, 0, 3, NULL, '2001-01-01'), (901, 70, 'F', 0, 0, 3, NULL, now())",
    )
    await client.query('DELETE FROM patients WHERE idx IN (20, 21, 22)')
    assert.deepEqual(await night(), { patients: 199, written: 4, removed: 3, unscored: 9 })
    assert.deepEqual(await written(), [11, 12, 900, 901])
  })

  test('a day later, a date that lay in the future is judged again', async () => {
    await client.query('UPDATE risks SET scored_on = scored_on - 1')
    assert.equal((await night()).written, 1)
    assert.deepEqual(await written(), [7])
  })

  test('a row whose time is not known is written every night', async () => {
    await client.query('UPDATE patients SET updated_at = NULL WHERE idx = 33')
    assert.equal((await night()).written, 1)
    assert.equal((await night()).written, 1)
    await client.query('UPDATE patients SET updated_at = now() WHERE idx = 33')
    assert.equal((await night()).written, 1)
    assert.equal((await night()).written, 0)
  })

  test('a new version of the model writes all rows', async () => {
    await printView(useNextModel(folder))
    assert.equal((await night()).written, 199)
    const { rows } = await client.query('SELECT DISTINCT model FROM risks')
    assert.deepEqual(rows, [{ model: NEXT }])
    assert.equal((await night()).written, 0)
  })

  test('what pg_cron is to run is the nightly job, as one statement', async () => {
    const [, command = ''] = /cron\.schedule\('[\w-]+', '[\d* ]+', '(.+)'\)/.exec(recipe('pg_cron.sql')) ?? []
    assert.ok(recipe('nightly.sql').includes(`\n${command};\n`))
    await client.query({ text: command, values: [] })
  })

  test('an empty table is refused, and the answers stay', async () => {
    await client.query('BEGIN; TRUNCATE patients; SAVEPOINT empty')
    await assert.rejects(
      client.query(recipe('nightly.sql')),
      /the table patients is empty; nothing was changed/,
    )
    await client.query('ROLLBACK')
    assert.equal((await night()).written, 0)
  })

  test('a second run is refused while the first is at work', async () => {
    await using first = await another(url)
    await first.client.query('BEGIN')
    await first.client.query('CALL score_changed_patients()')
    await assert.rejects(client.query(recipe('nightly.sql')), /another run is at work/)
    await first.client.query('ROLLBACK')
    assert.equal((await night()).written, 0)
  })
})

async function another(url: string): Promise<AsyncDisposable & { readonly client: pg.Client }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** Arguments without an option and its value. */
function without(args: readonly string[], option: string): readonly string[] {
  const at = args.indexOf(option)
  return args.filter((_each, place) => at < 0 || (place !== at && place !== at + 1))
}
