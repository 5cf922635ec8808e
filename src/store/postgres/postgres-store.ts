/** The shared store: several processes on one PostgreSQL have the same keys, counters and audit chain. */
import { type Kysely, sql } from 'kysely'
import type { AuditEntry, AuditRow, ChainEnds } from '../audit/audit-row.ts'
import { type AuditQuery, type QuotaGrant, type Store, StoreError, type StoredKey } from '../store.ts'
import { WINDOW_MS } from '../quota/memory-quota.ts'
import { keyOfRow, rowOfKey } from '../keys/key-row.ts'
import { PostgresAudit } from './audit.ts'
import { Gate } from './gate.ts'
import { migrate } from './migrations.ts'
import { openDatabase } from './pool.ts'
import type { Tables } from './tables.ts'

/** With the time of a look-up this stays well below the 5 s within which a revocation must work. */
const KEY_FRESH_MS = 2_000
/** A server that starts together with the service may need a moment. */
const OPEN_TRIES = 20
const OPEN_PAUSE_MS = 500

export async function openPostgresStore(url: string): Promise<Store> {
  const database = openDatabase(url)
  for (let attempt = 1; ; attempt++) {
    try {
      await migrate(database)
      return new PostgresStore(database)
    } catch (error) {
      if (attempt >= OPEN_TRIES || error instanceof StoreError || isRefusal(error)) {
        await database.destroy()
        throw error instanceof StoreError ? error : new StoreError(`PostgreSQL: ${(error as Error).message}`)
      }
      await new Promise((resolve) => setTimeout(resolve, OPEN_PAUSE_MS))
    }
  }
}

/** Wrong password, no such database and the like will not get better by waiting; a server that starts up will. */
function isRefusal(error: unknown): boolean {
  const code = (error as { readonly code?: string }).code ?? ''
  return /^(28|3D|42)/.test(code)
}

class PostgresStore implements Store {
  readonly keyFreshMs = KEY_FRESH_MS
  private readonly database: Kysely<Tables>
  private readonly audit: PostgresAudit
  private readonly gate = new Gate()

  constructor(database: Kysely<Tables>) {
    this.database = database
    this.audit = new PostgresAudit(database, this.gate)
  }

  async insertKey(key: StoredKey): Promise<void> {
    await this.gate.pass(() => this.database.insertInto('keys').values(rowOfKey(key)).execute())
  }

  async replaceKey(key: StoredKey, oldId: string, oldEndsAt: number): Promise<void> {
    await this.gate.pass(() =>
      this.database.transaction().execute(async (transaction) => {
        await transaction.insertInto('keys').values(rowOfKey(key)).execute()
        await transaction
          .updateTable('keys')
          .set({ expires_at: sql<number>`least(expires_at, ${oldEndsAt})` })
          .where('id', '=', oldId)
          .execute()
      }),
    )
  }

  async revokeKey(id: string, at: number): Promise<boolean> {
    const { numUpdatedRows } = await this.gate.pass(() =>
      this.database
        .updateTable('keys')
        .set({ revoked_at: sql<number>`coalesce(revoked_at, ${at})` })
        .where('id', '=', id)
        .executeTakeFirst(),
    )
    return numUpdatedRows > 0n
  }

  async findKey(id: string): Promise<StoredKey | undefined> {
    const row = await this.gate.pass(() =>
      this.database.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row === undefined ? undefined : keyOfRow(row)
  }

  async listKeys(): Promise<readonly StoredKey[]> {
    const rows = await this.gate.pass(() =>
      this.database.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute(),
    )
    return rows.map(keyOfRow)
  }

  async latestTime(): Promise<number> {
    const row = await this.gate.pass(() =>
      this.database.selectFrom('chain').select('latest_time').executeTakeFirstOrThrow(),
    )
    return row.latest_time
  }

  async secretFingerprint(own: string): Promise<string> {
    const row = await this.gate.pass(() =>
      this.database
        .updateTable('chain')
        .set({ secret_fingerprint: sql<string>`coalesce(secret_fingerprint, ${own})` })
        .returning('secret_fingerprint')
        .executeTakeFirstOrThrow(),
    )
    return row.secret_fingerprint ?? ''
  }

  appendAudit(entries: readonly AuditEntry[]): Promise<void> {
    return this.audit.append(entries)
  }

  async health(): Promise<string | undefined> {
    try {
      await this.audit.tryAppend()
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  readAudit(query: AuditQuery): Promise<readonly AuditRow[]> {
    return this.audit.read(query)
  }

  chainEnds(): Promise<ChainEnds> {
    return this.audit.ends()
  }

  pruneAudit(before: number, now: number): Promise<number> {
    return this.audit.prune(before, now)
  }

  takeQuota(counter: string, limit: number, want: number, windowMs = WINDOW_MS): Promise<QuotaGrant> {
    return this.gate.pass(() => takeQuota(this.database, counter, limit, want, windowMs))
  }

  close(): Promise<void> {
    return this.database.destroy()
  }
}

interface Answer {
  readonly granted: number
  readonly taken: number
  readonly resets_in: number
}

/** Counters that all processes share, by the clock of the server. One statement: it begins a window, begins a new one after a minute, or takes from the present one. */
async function takeQuota(
  database: Kysely<Tables>,
  counter: string,
  limit: number,
  want: number,
  windowMs: number,
): Promise<QuotaGrant> {
  const first = Math.min(want, limit)
  // Counters of keys stay; those of longer windows stand for single tokens, and would pile up.
  if (windowMs > WINDOW_MS) {
    await sql`DELETE FROM quota WHERE started_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ${10 * windowMs}::bigint`.execute(
      database,
    )
  }
  const { rows } = await sql<Answer>`
    WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
    INSERT INTO quota AS q (counter, started_at, taken, granted)
      SELECT ${counter}, now, ${first}::bigint, ${first}::bigint FROM clock
    ON CONFLICT (counter) DO UPDATE SET
      started_at = CASE WHEN excluded.started_at - q.started_at >= ${windowMs}::bigint THEN excluded.started_at ELSE q.started_at END,
      taken = CASE WHEN excluded.started_at - q.started_at >= ${windowMs}::bigint THEN ${first}::bigint
        ELSE q.taken + greatest(0, least(${want}::bigint, ${limit}::bigint - q.taken)) END,
      granted = CASE WHEN excluded.started_at - q.started_at >= ${windowMs}::bigint THEN ${first}::bigint
        ELSE greatest(0, least(${want}::bigint, ${limit}::bigint - q.taken)) END
    RETURNING granted, taken, started_at + ${windowMs}::bigint - (SELECT now FROM clock) AS resets_in`.execute(
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
