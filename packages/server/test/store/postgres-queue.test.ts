/** The room of the audit queue in PostgreSQL is given back, beside appends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'
import { happensWithin, until } from '../../../../test/support/until.ts'
import { entry } from './memory-store.ts'
import { TEST_SECRET } from './open-file.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'
import { needsPostgres, useDatabases } from '../../../../test/support/postgres-server.ts'

const newDatabase = useDatabases()
const LARGE = 64 * 1024 * 1024
/** Less than one wait for a lock that has the limit of a statement, here 42 s; each of the limited ones takes 50 ms. */
const BLOCKED_MS = 30_000

test(
  'a large queue gives back its room beside appends, which do not wait for its lock and lose no row',
  needsPostgres(),
  async () => {
    const url = await newDatabase()
    const store = await openPostgresStore(url, { ...UNHURRIED, secrets: [TEST_SECRET] })
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

    let appended = 0
    const appendUntil = async (work: Promise<unknown>): Promise<void> => {
      const done = new AbortController()
      const noted = work.finally(() => done.abort())
      do await store.appendAudit([entry(++appended)])
      while (!done.signal.aborted)
      await noted
    }

    // A reader of the queue keeps its lock longer than the store waits for it: appends go on. Without a limit of its own, each wait for
    // the lock would last as long as a statement may, and appends would wait behind it.
    await client.query('BEGIN; SELECT 1 FROM audit_queue')
    let isOver = false
    const beside = appendUntil(store.tidyAudit(1)).finally(() => (isOver = true))
    assert.ok(await happensWithin(BLOCKED_MS, () => isOver), 'appends waited for the lock')
    await beside
    await client.query('COMMIT')
    assert.ok((await queueBytes()) > LARGE)

    // On a busy machine the lock may not be free in time, and the next call tries again.
    const reclaimed = until(async () => {
      await store.tidyAudit(1)
      return (await queueBytes()) < LARGE
    })
    await appendUntil(reclaimed)
    assert.ok((await queueBytes()) < 1_000_000, `${await queueBytes()} bytes`)
    const { rows, faults } = await verifyStore(store)
    assert.deepEqual([rows, faults], [appended, []])
    await client.end()
    await store.close()
  },
)
