/** Time limits of PostgreSQL: which failures let the next calls fail at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { QueueSeal } from '@patient-risk/runtime'
import { LAYOUTS } from '../../src/store/layout.ts'
import { PostgresDatabase } from '../../src/store/postgres/database.ts'
import { STEPS } from '../../src/store/postgres/migrations.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { TEST_SECRET } from './open-file.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'
import { needsPostgres, useDatabases } from '../../../../test/support/postgres-server.ts'

const newDatabase = useDatabases()
/** Rows whose move takes a second or more. */
const LARGE = 150_000

test('a transaction that is slow at this end does not let the next calls fail', needsPostgres(), async () => {
  const database = new PostgresDatabase(await newDatabase())
  const slow = database.transaction(async (query) => {
    await query('SELECT 1')
    await sleep(1_200)
  })
  await assert.rejects(slow, /did not answer in time/)
  assert.deepEqual(await database.query('SELECT 1 AS one'), [{ one: 1 }])
  await database.close()
})

test(
  'a transaction whose statement gets no answer lets the next calls fail at once',
  needsPostgres(),
  async () => {
    const database = new PostgresDatabase(await newDatabase())
    const silent = database.transaction(async (query) => {
      await sleep(400)
      // Longer than the limit of the transaction; the server ends it a moment later.
      await query('SELECT pg_sleep(5)')
    })
    await assert.rejects(silent, /did not answer in time/)
    await assert.rejects(database.query('SELECT 1'), /did not answer a moment ago/)
    await database.close()
  },
)

test('moving a large table is not ended by the limit of a statement', needsPostgres(), async () => {
  const url = await newDatabase()
  const steps = LAYOUTS[3]?.postgresql ?? 0
  const older = new PostgresDatabase(url, UNHURRIED.limitFactor)
  await older.longTransaction(async (query) => {
    for (const step of STEPS.slice(0, steps).flat())
      await (typeof step === 'string' ? query(step) : step(query, new QueueSeal([TEST_SECRET])))
    await query('CREATE TABLE schema_version (version integer NOT NULL)')
    await query('INSERT INTO schema_version VALUES ($1)', steps)
    await query(`INSERT INTO outcomes SELECT 'ward', 'D', '2026-01', 'group ' || at / 1000, at % 1000, 0, 0, 1, at
      FROM generate_series(0, ${LARGE - 1}) AS at`)
  })
  // Far less than these rows take, and enough for any other statement.
  const store = await openPostgresStore(url, { secrets: [TEST_SECRET], limitFactor: 0.2 })
  await store.close()
  const counts = await older.query(
    'SELECT count(*) AS number, sum(units)::bigint AS units FROM outcome_counts',
  )
  assert.deepEqual(counts, [{ number: LARGE, units: (LARGE * (LARGE - 1)) / 2 }])
  await older.close()
})
