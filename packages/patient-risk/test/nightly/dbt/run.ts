/**
 * `npm run test:dbt`: runs examples/dbt with dbt-duckdb and dbt-postgres, night after night: a first run, one without changes, one with
 * changes, one on another day, and one after a new version of the model. Skipped where Python or the package index is missing.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../../../../test/support/postgres-server.ts'
import { installPython, skipScript } from '../../../../../test/support/python-packages.ts'
import { run } from '../../../../../test/support/run-command.ts'
import { NEXT, useNextModel } from '../next-model.ts'
import { AFTER, CHANGE, CHANGED, COLUMNS, CREATE, FILL, FIRST } from '../patients.ts'

const PACKAGES = ['dbt-core==1.9.11', 'dbt-duckdb==1.9.6', 'dbt-postgres==1.9.1', 'duckdb==1.5.5']
const programs = installPython({ folder: 'dbt', packages: PACKAGES, imports: ['dbt', 'duckdb'] })
if (typeof programs !== 'string') skipScript('test:dbt', programs.missing)

type Rows = readonly Readonly<Record<string, unknown>>[]

interface Warehouse {
  readonly target: 'duckdb' | 'postgres'
  readonly env: Readonly<Record<string, string>>
  /** Opened for each statement: DuckDB lets one process write at a time. */
  run(sql: string): Promise<Rows>
}

function onDuckDb(folder: string): Warehouse {
  const path = join(folder, 'clinic.duckdb')
  return {
    target: 'duckdb',
    env: { DUCKDB_FILE: path },
    async run(sql) {
      const instance = await DuckDBInstance.create(path)
      const connection = await instance.connect()
      try {
        return (await connection.runAndReadAll(sql)).getRowObjectsJson()
      } finally {
        connection.closeSync()
        instance.closeSync()
      }
    },
  }
}

async function onPostgres(server: PostgresServer): Promise<Warehouse> {
  const url = await server.newDatabase()
  const { hostname, port, username, password, pathname } = new URL(url)
  return {
    target: 'postgres',
    env: {
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGDATABASE: pathname.slice(1),
    },
    async run(sql) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows
      } finally {
        await client.end()
      }
    },
  }
}

class Project {
  private readonly folder: string
  private readonly warehouse: Warehouse
  private readonly dbt: string

  constructor(folder: string, warehouse: Warehouse, dbt: string) {
    cpSync('examples/dbt', folder, { recursive: true })
    this.folder = folder
    this.warehouse = warehouse
    this.dbt = dbt
  }

  async print(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const model = env['CONFIG'] === undefined ? ['--model', 'readmission30'] : []
    const { target } = this.warehouse
    const args = ['sql', '--dialect', target, ...model, '--table', 'clinic.patients', '--columns', COLUMNS]
    const { code, out, err } = await run([...args, '--unique', '--dbt'], env)
    assert.equal(code, 0, err)
    writeFileSync(join(this.folder, 'models', 'risks.sql'), out)
  }

  /** Returns the rows that a run has written. */
  async night(...more: readonly string[]): Promise<readonly number[]> {
    const { target, env } = this.warehouse
    const last = await this.warehouse.run('SELECT max(scored_at) AS at FROM risks').catch(() => [])
    const places = ['--project-dir', this.folder, '--profiles-dir', this.folder, '--target', target]
    const { status, stdout } = spawnSync(this.dbt, ['build', ...places, ...more], {
      encoding: 'utf8',
      env: { ...process.env, ...env, DBT_SEND_ANONYMOUS_USAGE_STATS: 'false' },
    })
    assert.equal(status, 0, stdout)
    assert.match(stdout, /Completed successfully/)
    const at = last[0]?.['at']
    const text = at instanceof Date ? at.toISOString() : String(at)
    // A Date has no microseconds, of which the first run may have some.
    const newer =
      last.length === 0 ? '' : `WHERE scored_at > timestamptz '${text}' + interval '1 millisecond'`
    const rows = await this.warehouse.run(`SELECT idx FROM risks ${newer} ORDER BY idx`)
    return rows.map(({ idx }) => Number(idx))
  }

  /** What the results have for readers, without the times. */
  answers(): Promise<Rows> {
    return this.warehouse.run(
      'SELECT idx, risk, error_message, model, deployment_digest FROM risks ORDER BY idx',
    )
  }
}

async function nights(folder: string, warehouse: Warehouse, dbt: string): Promise<void> {
  const say = (what: string): void => void process.stdout.write(`${warehouse.target}: ${what}\n`)
  for (const sql of [CREATE, FILL]) await warehouse.run(sql)
  const project = new Project(join(folder, warehouse.target), warehouse, dbt)
  await project.print()
  assert.equal((await project.night()).length, FIRST)
  say(`the first run has scored ${FIRST} rows`)
  assert.deepEqual(await project.night(), [])
  say('the second run, without changes, has scored none')
  for (const sql of CHANGE) await warehouse.run(sql)
  assert.deepEqual(await project.night(), CHANGED)
  say(`the third run has scored the changed rows, ${CHANGED.join(', ')}`)
  await warehouse.run(`UPDATE risks SET scored_on = scored_on - INTERVAL '1 day'`)
  assert.deepEqual(await project.night(), [7])
  say('a day later, the date that lay in the future was judged again')
  await project.print(useNextModel(folder))
  assert.equal((await project.night()).length, AFTER)
  const kept = await project.answers()
  assert.ok(kept.every(({ model }) => model === NEXT))
  assert.equal((await project.night('--full-refresh')).length, AFTER)
  assert.deepEqual(await project.answers(), kept)
  say(`after a new version of the model, all ${AFTER} rows were scored, as by --full-refresh`)
}

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-dbt-'))
let server: PostgresServer | undefined
try {
  const dbt = join(programs, 'dbt')
  await nights(folder, onDuckDb(folder), dbt)
  server = await startPostgres().catch((error: unknown) => {
    process.stdout.write(
      `postgres: skipped, PostgreSQL cannot run here: ${(error as Error).message.split('\n')[0]}\n`,
    )
    return undefined
  })
  if (server !== undefined) await nights(folder, await onPostgres(server), dbt)
} finally {
  await server?.remove()
  rmSync(folder, { recursive: true, force: true })
}
