/** Time limits of PostgreSQL: which failures let the next calls fail at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PostgresDatabase } from '../../src/store/postgres/database.ts'
import { needsPostgres, useDatabases } from '../../../../test/support/postgres-server.ts'

const newDatabase = useDatabases()

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
