/** Counters that all processes share, by the clock of the server. */
import { type Kysely, sql } from 'kysely'
import { WINDOW_MS } from '../quota/memory-quota.ts'
import type { QuotaGrant } from '../store.ts'
import type { Tables } from './tables.ts'

interface Answer {
  readonly granted: number
  readonly taken: number
  readonly resets_in: number
}

/** One statement: it begins a window, begins a new one after a minute, or takes from the present one. */
export async function takeQuota(
  database: Kysely<Tables>,
  counter: string,
  limit: number,
  want: number,
): Promise<QuotaGrant> {
  const first = Math.min(want, limit)
  const { rows } = await sql<Answer>`
    WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
    INSERT INTO quota AS q (counter, started_at, taken, granted)
      SELECT ${counter}, now, ${first}::bigint, ${first}::bigint FROM clock
    ON CONFLICT (counter) DO UPDATE SET
      started_at = CASE WHEN excluded.started_at - q.started_at >= ${WINDOW_MS} THEN excluded.started_at ELSE q.started_at END,
      taken = CASE WHEN excluded.started_at - q.started_at >= ${WINDOW_MS} THEN ${first}::bigint
        ELSE q.taken + greatest(0, least(${want}::bigint, ${limit}::bigint - q.taken)) END,
      granted = CASE WHEN excluded.started_at - q.started_at >= ${WINDOW_MS} THEN ${first}::bigint
        ELSE greatest(0, least(${want}::bigint, ${limit}::bigint - q.taken)) END
    RETURNING granted, taken, started_at + ${WINDOW_MS} - (SELECT now FROM clock) AS resets_in`.execute(
    database,
  )
  const [row] = rows
  if (row === undefined) throw new Error('the counter gave no answer')
  return {
    granted: row.granted,
    remaining: Math.max(0, limit - row.taken),
    resetsInMs: Math.max(0, row.resets_in),
  }
}
