/** The steps that bring a PostgreSQL store to the present layout (`layout.ts`). A released step never changes. */
import { type QueueSeal, StoreError } from '@patient-risk/runtime'
import { NOTE_REMOVED_ROWS, copyOldRows, sealQueue } from '../audit/copy-old-rows.ts'
import { layoutOf, newerLayoutText } from '../layout.ts'
import { carryOver } from '../audit/carried.ts'
import { jobTable } from '../jobs/job-table.ts'
import { POSTGRES_DIALECT, outcomeTables, receiptTable } from '../outcomes/outcome-tables.ts'
import type { Query } from '../sql.ts'
import type { PostgresDatabase } from './database.ts'

type Step = string | ((query: Query, seal: QueueSeal) => Promise<void>)

export const STEPS: readonly (readonly Step[])[] = [
  [
    `CREATE TABLE keys (
       id text PRIMARY KEY, name text NOT NULL, digest bytea NOT NULL, scopes text NOT NULL,
       limits text NOT NULL, created_at bigint NOT NULL, expires_at bigint, revoked_at bigint,
       last_used_at bigint, replaces text
     )`,
    `CREATE TABLE audit (
       seq bigint PRIMARY KEY, at bigint NOT NULL, request_id text NOT NULL,
       content text NOT NULL, hash text NOT NULL
     )`,
    'CREATE INDEX audit_request ON audit (request_id)',
    'CREATE INDEX audit_at ON audit (at)',
    `CREATE TABLE chain (
       id integer PRIMARY KEY CHECK (id = 1),
       start_seq bigint NOT NULL, start_hash text NOT NULL,
       head_seq bigint NOT NULL, head_hash text NOT NULL,
       latest_time bigint NOT NULL, secret_fingerprint text
     )`,
    "INSERT INTO chain VALUES (1, 0, '', 0, '', 0, NULL)",
    // Counters of a minute need not outlive a crash of the server, so they are kept out of its log.
    `CREATE UNLOGGED TABLE quota (
       counter text PRIMARY KEY, started_at bigint NOT NULL, taken bigint NOT NULL, granted bigint NOT NULL
     )`,
  ],
  [
    'ALTER TABLE audit RENAME TO audit_0_1',
    'ALTER INDEX audit_pkey RENAME TO audit_0_1_pkey',
    'DROP INDEX audit_at',
    'CREATE TABLE audit_context (id serial PRIMARY KEY, text text NOT NULL)',
    `CREATE TABLE audit (
       last_seq bigint PRIMARY KEY, count integer NOT NULL, last_at bigint NOT NULL,
       context integer NOT NULL, packed bytea NOT NULL, hash bytea NOT NULL
     )`,
    // The bytes are compressed already.
    'ALTER TABLE audit ALTER COLUMN packed SET STORAGE EXTERNAL',
    'CREATE INDEX audit_at ON audit (last_at)',
    copyOldRows,
    'DROP TABLE audit_0_1',
  ],
  [
    'CREATE TABLE audit_queue (id bigserial PRIMARY KEY, texts text NOT NULL)',
    // Rows stay there for a moment only: compressing them would not pay off.
    'ALTER TABLE audit_queue ALTER COLUMN texts SET STORAGE EXTERNAL',
  ],
  [
    'ALTER TABLE keys ADD COLUMN secret_fingerprint text',
    'UPDATE keys SET secret_fingerprint = (SELECT secret_fingerprint FROM chain)',
  ],
  [
    "ALTER TABLE chain ADD COLUMN store_id text NOT NULL DEFAULT ''",
    "UPDATE chain SET store_id = replace(gen_random_uuid()::text, '-', '')",
    'ALTER TABLE audit_queue RENAME TO audit_queue_0_1',
    'ALTER INDEX audit_queue_pkey RENAME TO audit_queue_0_1_pkey',
    'CREATE TABLE audit_queue (id bigserial PRIMARY KEY, texts text NOT NULL, seal bytea NOT NULL)',
    'ALTER TABLE audit_queue ALTER COLUMN texts SET STORAGE EXTERNAL',
    'CREATE TABLE audit_refused (id bigint NOT NULL, texts text NOT NULL)',
    sealQueue,
    'DROP TABLE audit_queue_0_1',
  ],
  [
    `CREATE TABLE usage (
       hour bigint NOT NULL, deployment text NOT NULL, key_id text NOT NULL, requests bigint NOT NULL,
       refused bigint NOT NULL, records bigint NOT NULL, scored bigint NOT NULL, page bigint NOT NULL,
       PRIMARY KEY (hour, deployment, key_id)
     )`,
    `CREATE TABLE usage_problems (
       hour bigint NOT NULL, deployment text NOT NULL, kind text NOT NULL, number bigint NOT NULL,
       PRIMARY KEY (hour, deployment, kind)
     )`,
    `ALTER TABLE chain ADD COLUMN counted_seq bigint NOT NULL DEFAULT 0,
       ADD COLUMN counted_since bigint NOT NULL DEFAULT 0, ADD COLUMN parts text NOT NULL DEFAULT '[]'`,
    NOTE_REMOVED_ROWS,
  ],
  [
    `CREATE TABLE alarms (
       kind text NOT NULL, deployment text NOT NULL, key_id text NOT NULL, field text NOT NULL, basis text NOT NULL,
       likely text NOT NULL, reference text NOT NULL, state text NOT NULL, at bigint NOT NULL,
       PRIMARY KEY (kind, deployment, key_id, field)
     )`,
  ],
  [
    `CREATE TABLE outcome_states (
       deployment text NOT NULL, digest text NOT NULL, model text NOT NULL, output text NOT NULL, threshold float8,
       centre float8, PRIMARY KEY (deployment, digest)
     )`,
    `CREATE TABLE scored_months (
       deployment text NOT NULL, digest text NOT NULL, month text NOT NULL, scored bigint NOT NULL, explained bigint NOT NULL,
       PRIMARY KEY (deployment, digest, month)
     )`,
    `CREATE TABLE outcomes (
       deployment text NOT NULL, digest text NOT NULL, month text NOT NULL, grp text NOT NULL, bin integer NOT NULL,
       flagged integer NOT NULL, outcome integer NOT NULL, number bigint NOT NULL, units bigint NOT NULL,
       PRIMARY KEY (deployment, digest, month, grp, bin, flagged, outcome)
     )`,
    'CREATE TABLE outcome_requests (request text PRIMARY KEY, body text NOT NULL, at bigint NOT NULL)',
  ],
  [...outcomeTables(POSTGRES_DIALECT), carryOver],
  // Counts that wait (`outcome_queue`) are for SQLite alone, where one transaction writes at a time.
  [
    "ALTER TABLE keys ADD COLUMN codes text NOT NULL DEFAULT '{}'",
    "ALTER TABLE outcome_states ADD COLUMN risk_digest text NOT NULL DEFAULT ''",
    ...jobTable(POSTGRES_DIALECT),
  ],
  [receiptTable(POSTGRES_DIALECT)],
]

/** Any number; the same in every process, so that only one of them migrates at a time. */
const MIGRATION_LOCK = 7_214_903_311

/** A statement that moves a large table takes long, and nobody is served before it is done. */
const STATEMENT_LIMIT_MS = 3_600_000

export async function migrate(database: PostgresDatabase, seal: QueueSeal): Promise<void> {
  // With the usual limits: a server that does not answer is noticed at once.
  if ((await database.longTransaction(stepsOfDatabase)) === STEPS.length) return
  const limits = { statementMs: STATEMENT_LIMIT_MS }
  await database.longTransaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', MIGRATION_LOCK)
    await query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)')
    const done = await countedSteps(query)
    if (done > STEPS.length) throw new StoreError(newerLayoutText(layoutOf('postgresql', done)))
    for (const step of STEPS.slice(done).flat()) {
      if (typeof step === 'string') await query(step)
      else await step(query, seal)
    }
    await query('DELETE FROM schema_version')
    await query('INSERT INTO schema_version VALUES ($1)', STEPS.length)
  }, limits)
}

async function countedSteps(query: Query): Promise<number> {
  const [row] = await query<{ readonly version: number }>('SELECT version FROM schema_version')
  return row?.version ?? 0
}

/** How many steps have made the tables of a database; 0 where there are none. */
export async function stepsOfDatabase(query: Query): Promise<number> {
  const [table] = await query<{ readonly name: string | null }>(
    "SELECT to_regclass('schema_version')::text AS name",
  )
  const isThere = table !== undefined && table.name !== null
  return isThere ? countedSteps(query) : 0
}
