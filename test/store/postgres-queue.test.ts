/** The room of the audit queue in PostgreSQL is given back, beside appends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'
import { entry } from './memory-store.ts'
import { TEST_SECRET } from './open-file.ts'
import { useDatabases } from './postgres-server.ts'

const newDatabase = useDatabases()
const LARGE = 64 * 1024 * 1024

test('a large queue gives back its room beside appends, which do not wait for its lock and lose no row', async () => {
  const url = await newDatabase()
  const store = await openPostgresStore(url, { secrets: [TEST_SECRET] })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const queueBytes = async (): Promise<number> => {
    const { rows } = await client.query("SELECT pg_total_relation_size('audit_queue') AS bytes")
    return Number((rows as { readonly bytes: string }[])[0]?.bytes)
  }
  // What a long run leaves: rows that were chained and are gone, and their room.
  await client.query(`ALTER TABLE audit_queue SET (autovacuum_enabled = off, toast.autovacuum_enabled = off);
    INSERT INTO audit_queue (texts, seal) SELECT repeat('x', 900000), '' FROM generate_series(1, 80); DELETE FROM audit_queue`)
  assert.ok((await queueBytes()) > LARGE)

  // A reader of the queue keeps its lock longer than the store waits for it: appends go on.
  await client.query('BEGIN; SELECT 1 FROM audit_queue')
  const busy = store.tidyAudit(1)
  const start = performance.now()
  await store.appendAudit([entry(1)])
  assert.ok(performance.now() - start < 700, 'an append waited for the lock')
  await busy
  await client.query('COMMIT')
  assert.ok((await queueBytes()) > LARGE)

  const stop = new AbortController()
  let appended = 1
  const appending = (async () => {
    while (!stop.signal.aborted) await store.appendAudit([entry(++appended)])
  })()
  for (let tries = 0; tries < 9 && (await queueBytes()) > LARGE; tries++) await store.tidyAudit(1)
  stop.abort()
  await appending
  assert.ok((await queueBytes()) < 1_000_000, `${await queueBytes()} bytes`)
  const { rows, faults } = await verifyStore(store)
  assert.deepEqual([rows, faults], [appended, []])
  await client.end()
  await store.close()
})
