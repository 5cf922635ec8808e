/** The shared store: several processes on one PostgreSQL have the same keys, counters and audit chain. */
import { setTimeout as sleep } from 'node:timers/promises'
import { QueueSeal, StoreError } from '@patient-risk/runtime'
import { storeClient } from '../store-client.ts'
import { WINDOW_MS } from '../quota.ts'
import { SqlStore } from '../sql-store.ts'
import type { SqliteOptions } from '../sqlite/sqlite-store.ts'
import type { QuotaGrant, Store } from '../store.ts'
import { PostgresDatabase } from './database.ts'
import { migrate } from './migrations.ts'

/** With the time of a look-up this stays well below the 5 s within which a revocation must work. */
const KEY_FRESH_MS = 2_000
/** A server that starts together with the service may need a moment. */
const OPEN_TRIES = 20
const OPEN_PAUSE_MS = 500
/** SQLSTATE classes of errors that do not get better by waiting: a wrong password, no such database and the like. */
const REFUSAL = /^(28|3D|42)/

/** By the clock of the server. It begins a window, begins a new one after its end, or takes from the present one. */
const TAKE_QUOTA = `
  WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
  INSERT INTO quota AS q (counter, started_at, taken, granted)
    SELECT $1, now, least($2::bigint, $3::bigint), least($2::bigint, $3::bigint) FROM clock
  ON CONFLICT (counter) DO UPDATE SET
    started_at = CASE WHEN excluded.started_at - q.started_at >= $4::bigint THEN excluded.started_at ELSE q.started_at END,
    taken = CASE WHEN excluded.started_at - q.started_at >= $4::bigint THEN excluded.taken
      ELSE q.taken + greatest(0, least($2::bigint, $3::bigint - q.taken)) END,
    granted = CASE WHEN excluded.started_at - q.started_at >= $4::bigint THEN excluded.granted
      ELSE greatest(0, least($2::bigint, $3::bigint - q.taken)) END
  RETURNING granted, greatest(0, $3::bigint - taken) AS remaining,
    greatest(0, started_at + $4::bigint - (SELECT now FROM clock)) AS "resetsInMs"`
const SWEEP_QUOTA =
  'DELETE FROM quota WHERE started_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1::bigint'

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
  return storeClient({
    keyFreshMs: KEY_FRESH_MS,
    isShared: true,
    onCall,
    call: (method, args) =>
      (sql[method] as (...all: readonly unknown[]) => Promise<unknown>).apply(sql, [...args]),
    async takeQuota(counter, limit, want, windowMs = WINDOW_MS) {
      // Counters of keys stay. Counters with longer windows stand for single tokens and would pile up.
      if (windowMs > WINDOW_MS) await database.write(SWEEP_QUOTA, 10 * windowMs)
      const [grant] = await database.write<QuotaGrant>(TAKE_QUOTA, counter, want, limit, windowMs)
      return grant as QuotaGrant
    },
    close: () => database.close(),
  })
}
