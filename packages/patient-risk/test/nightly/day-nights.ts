/** A recipe for files by day, night after night: only days whose files have changed are scored, as `score` scores them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { run } from '../../../../test/support/run-command.ts'
import { NEXT, useNextModel } from './next-model.ts'
import { COLUMNS } from './patients.ts'

const DAYS = ['2026-11-16', '2026-11-17', '2026-11-18']
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export interface Place {
  /** A folder on this machine, for what the test keeps. */
  readonly folder: string
  /** Where the days lie: the same folder, or s3://. */
  readonly root: string
  /** A file with SQL that DuckDB runs first. */
  readonly setup?: string
}

type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** A recipe that scores `patients/day=…` into `risks/day=…`. */
export interface DayRecipe {
  /** Of `patient-risk sql`. */
  readonly options: readonly string[]
  /** Returns what a run prints. */
  night(place: Place, statement: string): string
  /** Makes the last run of a day one of another day. */
  makeOlder(place: Place, day: string, query: Query): Promise<void>
}

export const onDuckDb: DayRecipe = {
  options: ['--dialect', 'duckdb', '--source', '--columns', COLUMNS.replace(',updated_at', '')],
  night({ root, setup }, statement) {
    const args = ['--sql', statement, '--patients', `${root}/patients`, '--risks', `${root}/risks`]
    const more = setup === undefined ? [] : ['--setup', setup]
    const command = ['examples/duckdb/nightly.js', ...args, ...more]
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return stdout
  },
  async makeOlder({ root }, day, query) {
    const file = literal(`${root}/risks/day=${day}/risks.parquet`)
    const said = await query(
      `SELECT decode(key) AS name, decode(value) AS value FROM parquet_kv_metadata(${file})`,
    )
    assert.equal(said.find(({ name }) => name === 'future')?.['value'], 'true')
    const metadata = said.map(
      ({ name, value }) => `${String(name)}: ${literal(name === 'today' ? '2026-01-01' : String(value))}`,
    )
    await query(`CREATE OR REPLACE TEMP TABLE kept AS SELECT * FROM ${file}`)
    await query(`COPY kept TO ${file} (FORMAT parquet, KV_METADATA {${metadata.join(', ')}})`)
  },
}

export async function dayNights(place: Place, recipe: DayRecipe): Promise<void> {
  const instance = await DuckDBInstance.create()
  const database = await instance.connect()
  const query: Query = async (sql) => (await database.runAndReadAll(sql)).getRowObjectsJson()
  try {
    if (place.setup !== undefined) await database.run(readFileSync(place.setup, 'utf8'))
    await nights(place, recipe, query)
  } finally {
    database.closeSync()
    instance.closeSync()
  }
}

async function nights(place: Place, recipe: DayRecipe, query: Query): Promise<void> {
  const { folder, root } = place
  const statement = join(folder, 'risks.sql')
  const print = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    const model = env['CONFIG'] === undefined ? ['--model', 'readmission30'] : []
    const { code, out, err } = await run(['sql', ...model, ...recipe.options], env)
    assert.equal(code, 0, err)
    writeFileSync(statement, out)
  }
  /** Writes a file of a day. One of the last day has a date of tomorrow. */
  const write = async (day: string, ward = 0): Promise<void> => {
    const first = DAYS.indexOf(day) * 10
    const rows = `SELECT i + ${100 * ward} AS idx, 60 + i AS age, if(i % 2 = 0, 'F', 'M') AS sex, i % 4 AS "inpatientAdmissions",
      i % 3 AS "emergencyAdmissions", if(i = 3, -1, i % 20) AS "stayDays", if(i = 25, current_date + 1, NULL) AS barthel_date
      FROM range(${first}, ${first + 10}) AS given (i)`
    // DuckDB makes the folder of a day.
    await query(
      `COPY (SELECT *, ${literal(day)} AS day FROM (${rows})) TO ${literal(`${root}/patients`)}
       (FORMAT parquet, PARTITION_BY (day), OVERWRITE_OR_IGNORE, FILENAME_PATTERN 'ward_${ward}')`,
    )
  }
  const night = (...days: readonly string[]): void => {
    assert.match(
      recipe.night(place, statement),
      new RegExp(`^${days.length} of ${DAYS.length} days scored, `, 'm'),
    )
  }
  /** A file that was written a moment ago counts as one that may still change. */
  const settle = (): Promise<unknown> => new Promise((done) => setTimeout(done, 2_100))
  const risksOf = (day: string): string => `read_parquet(${literal(`${root}/risks/day=${day}/*.parquet`)})`

  await print()
  for (const day of DAYS) await write(day)
  await settle()
  night(...DAYS)
  night()
  const [, middle = '', last = ''] = DAYS
  await write(middle, 1)
  await settle()
  night(middle)
  night()
  assert.equal((await query(`SELECT idx FROM ${risksOf(middle)}`)).length, 20)

  await recipe.makeOlder(place, last, query)
  night(last)
  night()

  await print(useNextModel(folder))
  night(...DAYS)
  night()
  const models = await query(
    `SELECT DISTINCT model FROM read_parquet(${literal(`${root}/risks/*/*.parquet`)})`,
  )
  assert.deepEqual(models, [{ model: NEXT }])

  // What `score` says of the same patients.
  for (const day of DAYS) {
    const copy = join(folder, `${day}.parquet`)
    const scored = join(folder, `${day}-scored.parquet`)
    const patients = `read_parquet(${literal(`${root}/patients/day=${day}/*.parquet`)})`
    await query(`COPY (FROM ${patients}) TO ${literal(copy)} (FORMAT parquet)`)
    const { code, err } = await run(['score', copy, '--output', scored, '--quiet'])
    assert.equal(code, 0, err)
    const [one, other] = [risksOf(day), literal(scored)].map(
      (from) => `SELECT idx, risk, error_message FROM ${from}`,
    )
    assert.deepEqual(await query(`(${one} EXCEPT ALL ${other}) UNION ALL (${other} EXCEPT ALL ${one})`), [])
  }
}
