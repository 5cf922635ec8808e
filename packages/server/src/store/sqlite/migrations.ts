/** The steps that bring an SQLite store to the present layout (`layout.ts`). A released step never changes. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { QueueSeal } from '@patient-risk/runtime'
import { NOTE_REMOVED_ROWS, copyOldRows, sealQueue } from '../audit/copy-old-rows.ts'
import { layoutOf, newerLayoutText } from '../layout.ts'
import { carryOver } from '../audit/carried.ts'
import { jobTable } from '../jobs/job-table.ts'
import { SQLITE_DIALECT, outcomeTables, receiptTable } from '../outcomes/outcome-tables.ts'
import type { Query } from '../sql.ts'

/** Statements, or what else a step does. */
type Part = string | ((query: Query, seal: QueueSeal, path: string) => Promise<void>)

export const STEPS: readonly (Part | readonly Part[])[] = [
  `CREATE TABLE keys (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, digest BLOB NOT NULL, scopes TEXT NOT NULL,
     created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, last_used_at INTEGER
   ) STRICT`,
  `ALTER TABLE keys ADD COLUMN limits TEXT NOT NULL DEFAULT '{}';
   ALTER TABLE keys ADD COLUMN replaces TEXT;
   CREATE TABLE audit (
     seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, request_id TEXT NOT NULL,
     content TEXT NOT NULL, hash TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_request ON audit (request_id);
   CREATE INDEX audit_at ON audit (at);
   CREATE TABLE chain (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     start_seq INTEGER NOT NULL, start_hash TEXT NOT NULL,
     head_seq INTEGER NOT NULL, head_hash TEXT NOT NULL,
     latest_time INTEGER NOT NULL, secret_fingerprint TEXT
   ) STRICT;
   INSERT INTO chain VALUES (1, 0, '', 0, '', 0, NULL)`,
  // Version 0.1.0 kept rows in files of its own before they reached the chain; this table says which of them had.
  'CREATE TABLE rings (slot INTEGER PRIMARY KEY, era TEXT NOT NULL, taken INTEGER NOT NULL) STRICT',
  [
    refuseOpenRings,
    `ALTER TABLE audit RENAME TO audit_0_1;
     CREATE TABLE audit_context (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
     CREATE TABLE audit (
       last_seq INTEGER PRIMARY KEY, count INTEGER NOT NULL, last_at INTEGER NOT NULL,
       context INTEGER NOT NULL, packed BLOB NOT NULL, hash BLOB NOT NULL
     ) STRICT;
     DROP INDEX audit_at;
     CREATE INDEX audit_at ON audit (last_at)`,
    copyOldRows,
    'DROP TABLE audit_0_1; DROP TABLE rings',
  ],
  'CREATE TABLE audit_queue (id INTEGER PRIMARY KEY, texts TEXT NOT NULL) STRICT',
  `ALTER TABLE keys ADD COLUMN secret_fingerprint TEXT;
   UPDATE keys SET secret_fingerprint = (SELECT secret_fingerprint FROM chain)`,
  `ALTER TABLE chain ADD COLUMN store_id TEXT NOT NULL DEFAULT '';
   UPDATE chain SET store_id = lower(hex(randomblob(16)));
   ALTER TABLE audit_queue RENAME TO audit_queue_0_1;
   CREATE TABLE audit_queue (id INTEGER PRIMARY KEY, texts TEXT NOT NULL, seal BLOB NOT NULL) STRICT;
   CREATE TABLE audit_refused (id INTEGER NOT NULL, texts TEXT NOT NULL) STRICT`,
  [sealQueue, 'DROP TABLE audit_queue_0_1'],
  `CREATE TABLE usage (
     hour INTEGER NOT NULL, deployment TEXT NOT NULL, key_id TEXT NOT NULL, requests INTEGER NOT NULL,
     refused INTEGER NOT NULL, records INTEGER NOT NULL, scored INTEGER NOT NULL, page INTEGER NOT NULL,
     PRIMARY KEY (hour, deployment, key_id)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_problems (
     hour INTEGER NOT NULL, deployment TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL,
     PRIMARY KEY (hour, deployment, kind)
   ) STRICT, WITHOUT ROWID;
   ALTER TABLE chain ADD COLUMN counted_seq INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chain ADD COLUMN counted_since INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chain ADD COLUMN parts TEXT NOT NULL DEFAULT '[]';
   ${NOTE_REMOVED_ROWS}`,
  `CREATE TABLE alarms (
     kind TEXT NOT NULL, deployment TEXT NOT NULL, key_id TEXT NOT NULL, field TEXT NOT NULL, basis TEXT NOT NULL,
     likely TEXT NOT NULL, reference TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL,
     PRIMARY KEY (kind, deployment, key_id, field)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE outcome_states (
     deployment TEXT NOT NULL, digest TEXT NOT NULL, model TEXT NOT NULL, output TEXT NOT NULL, threshold REAL, centre REAL,
     PRIMARY KEY (deployment, digest)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE scored_months (
     deployment TEXT NOT NULL, digest TEXT NOT NULL, month TEXT NOT NULL, scored INTEGER NOT NULL, explained INTEGER NOT NULL,
     PRIMARY KEY (deployment, digest, month)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE outcomes (
     deployment TEXT NOT NULL, digest TEXT NOT NULL, month TEXT NOT NULL, grp TEXT NOT NULL, bin INTEGER NOT NULL,
     flagged INTEGER NOT NULL, outcome INTEGER NOT NULL, number INTEGER NOT NULL, units INTEGER NOT NULL,
     PRIMARY KEY (deployment, digest, month, grp, bin, flagged, outcome)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE outcome_requests (request TEXT PRIMARY KEY, body TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  [...outcomeTables(SQLITE_DIALECT), carryOver],
  [
    `CREATE TABLE outcome_queue (
       id INTEGER PRIMARY KEY, deployment TEXT NOT NULL, target TEXT NOT NULL, places TEXT NOT NULL, numbers BLOB NOT NULL
     ) STRICT`,
    "ALTER TABLE keys ADD COLUMN codes TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE outcome_states ADD COLUMN risk_digest TEXT NOT NULL DEFAULT ''",
    ...jobTable(SQLITE_DIALECT),
  ],
  [receiptTable(SQLITE_DIALECT)],
]

/** Brings the file to the present form. A file that is up to date is not written to. */
export async function migrate(
  database: DatabaseSync,
  query: Query,
  path: string,
  seal: QueueSeal,
): Promise<void> {
  if (stepsOfFile(database) === STEPS.length) return
  // Two processes may start at once: the first takes the write lock, the second finds the work done.
  database.exec('BEGIN IMMEDIATE')
  try {
    const done = stepsOfFile(database)
    if (done > STEPS.length) throw new Error(newerLayoutText(layoutOf('sqlite', done)))
    for (const part of STEPS.slice(done).flat()) {
      if (typeof part === 'string') database.exec(part)
      else await part(query, seal, path)
    }
    database.exec(`PRAGMA user_version = ${STEPS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
  removeRings(path)
}

/** How many steps have made the tables of a file. */
export function stepsOfFile(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

/** Version 0.1.0 kept its newest rows in ring files next to the store, at most 64. */
const SLOTS = Array.from({ length: 64 }, (_each, slot) => slot)
const RING_BYTES = 8_388_608
const HEAD_BYTES = 32
const MAGIC = 0x50524146
interface Ring {
  readonly slot: number
  readonly era: string
  readonly taken: number
}

/** Rows that are only in a ring would be lost. Version 0.1.0 moves them into the chain whenever it starts. */
async function refuseOpenRings(query: Query, _seal: QueueSeal, path: string): Promise<void> {
  for (const slot of SLOTS) {
    if (isLocked(`${ringPath(path, slot)}.lock`)) {
      throw new Error('version 0.1.0 of the service still runs on this data folder; stop it first')
    }
  }
  for (const { slot, era, taken } of await query<Ring>('SELECT slot, era, taken FROM rings')) {
    const ring = ringPath(path, slot)
    if (existsSync(ring) && holdsRows(ring, BigInt(`0x${era}`), taken)) {
      throw new Error(
        'version 0.1.0 ended without taking all audit rows into its chain; run its "patient-risk audit verify" once, then start this version',
      )
    }
  }
}

/** Whether the ring has a frame of its last owner that was not moved into the chain. */
function holdsRows(ring: string, era: bigint, taken: number): boolean {
  const rest = RING_BYTES - (taken % RING_BYTES)
  const offset = rest < HEAD_BYTES ? taken + rest : taken
  const place = offset % RING_BYTES
  // Missing bytes of a short file count as zero.
  const head = Buffer.concat([readFileSync(ring).subarray(place, place + HEAD_BYTES)], HEAD_BYTES)
  return (
    head.readUInt32BE(0) === MAGIC &&
    head.readBigUInt64BE(16) === era &&
    head.readBigUInt64BE(24) === BigInt(offset)
  )
}

/** Version 0.1.0 held a lock of SQLite's own on an empty file as long as it ran. */
function isLocked(lock: string): boolean {
  if (!existsSync(lock)) return false
  const database = new DatabaseSync(lock, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch {
    return true
  } finally {
    database.close()
  }
}

/** After the migration is committed. */
function removeRings(path: string): void {
  for (const slot of SLOTS) {
    for (const suffix of ['', '.lock', '.lock-journal'])
      rmSync(ringPath(path, slot) + suffix, { force: true })
  }
}

function ringPath(path: string, slot: number): string {
  return `${path}-ring-${slot}`
}
