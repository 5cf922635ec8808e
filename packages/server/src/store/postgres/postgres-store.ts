/** The shared store: several processes on one PostgreSQL have the same keys, counters and audit chain. */
import { setTimeout as sleep } from 'node:timers/promises'
import { QueueSeal, StoreError } from '@patient-risk/runtime'
import { storeClient } from '../store-client.ts'
import { SqlStore } from '../sql-store.ts'
import type { SqliteOptions } from '../sqlite/sqlite-store.ts'
import type { Store } from '../store.ts'
import { PostgresDatabase } from './database.ts'
import { migrate } from './migrations.ts'
import { PostgresQuota } from './postgres-quota.ts'

/** With the time of a look-up this stays well below the 5 s within which a revocation must work. */
const KEY_FRESH_MS = 2_000
/** A server that starts together with the service may need a moment. */
const OPEN_TRIES = 20
const OPEN_PAUSE_MS = 500
/** SQLSTATE classes of errors that do not get better by waiting: a wrong password, no such database and the like. */
const REFUSAL = /^(28|3D|42)/

export async function openPostgresStore(
  url: string,
  { secrets, onCall, limitFactor }: Pick<SqliteOptions, 'secrets' | 'onCall' | 'limitFactor'>,
): Promise<Store> {
  const database = new PostgresDatabase(url, limitFactor)
  const seal = new QueueSeal(secrets)
  for (let attempt = 1; ; attempt++) {
    try {
      await migrate(database, seal)
      break
    } catch (error) {
      const { code = '', message } = error as Error & { readonly code?: string }
      if (attempt >= OPEN_TRIES || error instanceof StoreError || REFUSAL.test(code)) {
        await database.close()
        throw error instanceof StoreError ? error : new StoreError(`PostgreSQL: ${message}`)
      }
      await sleep(OPEN_PAUSE_MS)
    }
  }
  const sql = new SqlStore(database, seal)
  const quota = new PostgresQuota(database)
  return storeClient({
    keyFreshMs: KEY_FRESH_MS,
    isShared: true,
    onCall,
    call: (method, args) =>
      (sql[method] as (...all: readonly unknown[]) => Promise<unknown>).apply(sql, [...args]),
    takeQuota: (...args) => quota.take(...args),
    close: () => database.close(),
  })
}
