/** Limits in a minute, counted for all processes on one PostgreSQL. */
import { WINDOW_MS } from '../quota.ts'
import type { SqlDatabase } from '../sql.ts'
import type { QuotaGrant, QuotaSource } from '../store.ts'

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

export class PostgresQuota implements QuotaSource {
  private readonly database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.database = database
  }

  async take(counter: string, limit: number, want: number, windowMs = WINDOW_MS): Promise<QuotaGrant> {
    // Counters of keys stay. Counters with longer windows stand for single tokens and would pile up.
    if (windowMs > WINDOW_MS) await this.database.write(SWEEP_QUOTA, 10 * windowMs)
    const [grant] = await this.database.write<QuotaGrant>(TAKE_QUOTA, counter, want, limit, windowMs)
    return grant as QuotaGrant
  }
}
