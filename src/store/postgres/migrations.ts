/** The steps that bring a PostgreSQL store to the present form. A step that was released never changes. */
import { type Kysely, sql } from 'kysely'
import { StoreError } from '../store.ts'
import type { Tables } from './tables.ts'

const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE keys (
       id text PRIMARY KEY,
       name text NOT NULL,
       digest bytea NOT NULL,
       scopes text NOT NULL,
       limits text NOT NULL,
       created_at bigint NOT NULL,
       expires_at bigint,
       revoked_at bigint,
       last_used_at bigint,
       replaces text
     )`,
    `CREATE TABLE audit (
       seq bigint PRIMARY KEY,
       at bigint NOT NULL,
       request_id text NOT NULL,
       content text NOT NULL,
       hash text NOT NULL
     )`,
    'CREATE INDEX audit_request ON audit (request_id)',
    'CREATE INDEX audit_at ON audit (at)',
    `CREATE TABLE chain (
       id integer PRIMARY KEY CHECK (id = 1),
       start_seq bigint NOT NULL,
       start_hash text NOT NULL,
       head_seq bigint NOT NULL,
       head_hash text NOT NULL,
       latest_time bigint NOT NULL,
       secret_fingerprint text
     )`,
    "INSERT INTO chain VALUES (1, 0, '', 0, '', 0, NULL)",
    // Counters of a minute need not outlive a crash of the server, so they are kept out of its log.
    `CREATE UNLOGGED TABLE quota (
       counter text PRIMARY KEY,
       started_at bigint NOT NULL,
       taken bigint NOT NULL,
       granted bigint NOT NULL
     )`,
  ],
]

/** Any number; the same in every process, so that only one of them migrates at a time. */
const MIGRATION_LOCK = 7_214_903_311

export async function migrate(database: Kysely<Tables>): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction)
    await sql`CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)`.execute(transaction)
    const row = await transaction.selectFrom('schema_version').select('version').executeTakeFirst()
    const version = row?.version ?? 0
    if (version > STEPS.length) {
      throw new StoreError(`the store was written by a newer version (${version})`)
    }
    for (const statement of STEPS.slice(version).flat()) await sql.raw(statement).execute(transaction)
    await transaction.deleteFrom('schema_version').execute()
    await transaction.insertInto('schema_version').values({ version: STEPS.length }).execute()
  })
}
