/**
 * Scores a table that lies in Parquet files by day, `day=2026-11-18/*.parquet`, on this machine or on s3://, and each night only the days
 * whose files have changed. Each day has one output, `day=2026-11-18/risks.parquet`, which says itself what it was made from.
 *
 *   node nightly.js --sql risks.sql --patients DIRECTORY|s3://… --risks DIRECTORY|s3://… [--setup setup.sql]
 *
 * `risks.sql` is printed by `patient-risk sql --dialect duckdb --source`, and reads the table `patients`.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'

/** A file that is younger may be written once more within the same step of the clock; its day is scored again by the next run. */
const SETTLED_SECONDS = 2
const FUTURE_DATE = '(date in the future)'

const { values } = parseArgs({
  options: {
    sql: { type: 'string' },
    patients: { type: 'string' },
    risks: { type: 'string' },
    setup: { type: 'string' },
  },
})
const { sql, patients, risks, setup } = values
if (sql === undefined || patients === undefined || risks === undefined) {
  process.stderr.write('Name --sql FILE, --patients and --risks.\n')
  process.exit(2)
}
// Risks are patient data: files on this machine are for their owner alone.
process.umask(0o077)
const statement = readFileSync(sql, 'utf8')
/** Another model, another setting or another list of columns is another statement. */
const statementHash = createHash('sha256').update(statement).digest('hex')
const isRemote = risks.includes('://')

const instance = await DuckDBInstance.create()
const database = await instance.connect()
const text = (value) => `'${String(value).replaceAll("'", "''")}'`
const run = (query) => database.run(query)
const rows = async (query) => (await database.runAndReadAll(query)).getRowObjectsJson()

// Secrets and extensions, such as LOAD httpfs and CREATE SECRET for s3://.
if (setup !== undefined) await run(readFileSync(setup, 'utf8'))
const [{ today }] = await rows('SELECT CAST(current_date AS VARCHAR) AS today')

/** The days that there are, and what their files are: names, sizes and times. Contents are not read. */
const days = await rows(`
  SELECT part AS day, md5(string_agg(concat_ws(' ', filename, size, last_modified), '|' ORDER BY filename)) AS input,
    max(last_modified) > now() - INTERVAL ${SETTLED_SECONDS} SECONDS AS is_fresh
  FROM (SELECT *, regexp_extract(filename, 'day=([0-9]{4}-[0-9]{2}-[0-9]{2})/', 1) AS part
    FROM read_blob(${text(`${patients}/day=*/*.parquet`)}))
  WHERE part <> '' GROUP BY part ORDER BY part`).catch((error) => {
  if (String(error).includes('No files found')) return []
  throw error
})
if (days.length === 0) {
  process.stderr.write(`There are no days in ${patients}; nothing was changed.\n`)
  process.exit(1)
}

/** What the outputs say of themselves, by day. */
const known = new Map()
const [{ outputs }] = await rows(
  `SELECT count(*) AS outputs FROM glob(${text(`${risks}/day=*/risks.parquet`)})`,
)
if (Number(outputs) > 0) {
  const pairs = await rows(`
    SELECT regexp_extract(file_name, 'day=([0-9-]+)/', 1) AS day, decode(key) AS name, decode(value) AS value
    FROM parquet_kv_metadata(${text(`${risks}/day=*/risks.parquet`)})`)
  for (const { day, name, value } of pairs) known.set(day, { ...known.get(day), [name]: value })
}

let scoredDays = 0
for (const { day, input, is_fresh: isFresh } of days) {
  const last = known.get(day)
  const isOfAnotherDay = last?.future === 'true' && last.today !== today
  if (last?.input === input && last.statement === statementHash && !isOfAnotherDay) continue
  const files = text(`${patients}/day=${day}/*.parquet`)
  await run(
    `CREATE OR REPLACE TEMP VIEW patients AS SELECT * FROM read_parquet(${files}, hive_partitioning = true)`,
  )
  await run(`CREATE OR REPLACE TEMP TABLE answers AS ${statement}`)
  const future = `contains(error_message, ${text(FUTURE_DATE)})`
  const [{ has_future: hasFuture }] = await rows(
    `SELECT coalesce(bool_or(${future}), false) AS has_future FROM answers`,
  )
  const said = {
    input: isFresh ? `${input} not settled` : input,
    statement: statementHash,
    today,
    future: hasFuture,
  }
  const metadata = Object.entries(said).map(([name, value]) => `${name}: ${text(value)}`)
  if (!isRemote) mkdirSync(`${risks}/day=${day}`, { recursive: true })
  // On this machine the file appears under its name when it is whole; an object store shows an object when its upload is complete.
  const whole = isRemote ? '' : ', USE_TMP_FILE true'
  await run(
    `COPY answers TO ${text(`${risks}/day=${day}/risks.parquet`)} (FORMAT parquet, KV_METADATA {${metadata.join(', ')}}${whole})`,
  )
  scoredDays++
}
const present = new Set(days.map(({ day }) => day))
const gone = [...known.keys()].filter((day) => !present.has(day))
const kept = gone.length === 0 ? '' : `, ${gone.length} kept whose patients are gone: ${gone.join(', ')}`
process.stdout.write(
  `${scoredDays} of ${days.length} days scored, ${days.length - scoredDays} as before${kept}.\n`,
)
database.closeSync()
instance.closeSync()
