/** The steps that bring a PostgreSQL store to the present form. A released step never changes. */
import { type Kysely, type Transaction, sql } from 'kysely'
import { OLD_ROWS_OF_A_PAGE, OldContexts, type OldRow, groupOldRows, packOldRows } from '../audit/from-0-1.ts'
import { StoreError } from '../store.ts'
import type { Tables } from './tables.ts'

type Step = string | ((transaction: Transaction<Tables>) => Promise<void>)

const STEPS: readonly (readonly Step[])[] = [
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
  [
    'ALTER TABLE audit RENAME TO audit_0_1',
    'ALTER INDEX audit_pkey RENAME TO audit_0_1_pkey',
    'DROP INDEX audit_at',
    'CREATE TABLE audit_context (id serial PRIMARY KEY, text text NOT NULL)',
    `CREATE TABLE audit (
       last_seq bigint PRIMARY KEY,
       count integer NOT NULL,
       last_at bigint NOT NULL,
       context integer NOT NULL,
       packed bytea NOT NULL,
       hash bytea NOT NULL
     )`,
    // The bytes are compressed already.
    'ALTER TABLE audit ALTER COLUMN packed SET STORAGE EXTERNAL',
    'CREATE INDEX audit_at ON audit (last_at)',
    copyGroups,
    'DROP TABLE audit_0_1',
  ],
]

/** The rows of version 0.1.0, which had a table row for each. Content and hash stay as they are. */
async function copyGroups(transaction: Transaction<Tables>): Promise<void> {
  const contexts = new OldContexts()
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const { rows } = await sql<OldRow>`SELECT seq, at, content, hash FROM audit_0_1
      WHERE seq > ${after} ORDER BY seq LIMIT ${OLD_ROWS_OF_A_PAGE}`.execute(transaction)
    for (const group of groupOldRows(rows)) {
      const { context, isNew } = contexts.of(group)
      if (isNew) await transaction.insertInto('audit_context').values(context).execute()
      const { lastSeq, count, lastAt, packed, hash } = packOldRows(group, context.text)
      await transaction
        .insertInto('audit')
        .values({
          last_seq: lastSeq,
          count,
          last_at: lastAt,
          context: context.id,
          packed: Buffer.from(packed),
          hash: Buffer.from(hash),
        })
        .execute()
    }
    const last = rows[rows.length - 1]
    if (last === undefined) break
    after = last.seq
  }
  await sql`SELECT setval('audit_context_id_seq', ${contexts.count + 1}, false)`.execute(transaction)
}

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
    for (const step of STEPS.slice(version).flat()) {
      if (typeof step === 'string') await sql.raw(step).execute(transaction)
      else await step(transaction)
    }
    await transaction.deleteFrom('schema_version').execute()
    await transaction.insertInto('schema_version').values({ version: STEPS.length }).execute()
  })
}
