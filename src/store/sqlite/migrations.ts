/** The steps that bring an SQLite store to the present form. A released step never changes. */
import type { DatabaseSync } from 'node:sqlite'
import type { Query } from '../sql.ts'
import { groupAuditRows, removeRings } from './from-0-1.ts'

type Step = string | ((database: DatabaseSync, query: Query, path: string) => Promise<void>)

export const STEPS: readonly Step[] = [
  `CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     digest BLOB NOT NULL,
     scopes TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     revoked_at INTEGER,
     last_used_at INTEGER
   ) STRICT`,
  `ALTER TABLE keys ADD COLUMN limits TEXT NOT NULL DEFAULT '{}';
   ALTER TABLE keys ADD COLUMN replaces TEXT;
   CREATE TABLE audit (
     seq INTEGER PRIMARY KEY,
     at INTEGER NOT NULL,
     request_id TEXT NOT NULL,
     content TEXT NOT NULL,
     hash TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_request ON audit (request_id);
   CREATE INDEX audit_at ON audit (at);
   CREATE TABLE chain (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     start_seq INTEGER NOT NULL,
     start_hash TEXT NOT NULL,
     head_seq INTEGER NOT NULL,
     head_hash TEXT NOT NULL,
     latest_time INTEGER NOT NULL,
     secret_fingerprint TEXT
   ) STRICT;
   INSERT INTO chain VALUES (1, 0, '', 0, '', 0, NULL)`,
  // Version 0.1.0 kept rows in files of its own before they reached the chain; this table says which of them had.
  `CREATE TABLE rings (
     slot INTEGER PRIMARY KEY,
     era TEXT NOT NULL,
     taken INTEGER NOT NULL
   ) STRICT`,
  groupAuditRows,
]

/** Brings the file to the present form. A file that has it already is not written to. */
export async function migrate(database: DatabaseSync, query: Query, path: string): Promise<void> {
  if (versionOf(database) === STEPS.length) return
  // Two processes may start at once: the first takes the write lock, the second finds the work done.
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(database)
    if (version > STEPS.length) throw new Error(`the store was written by a newer version (${version})`)
    for (const step of STEPS.slice(version)) {
      if (typeof step === 'string') database.exec(step)
      else await step(database, query, path)
    }
    database.exec(`PRAGMA user_version = ${STEPS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
  removeRings(path)
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}
