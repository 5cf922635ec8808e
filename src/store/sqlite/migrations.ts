/** The steps that bring an SQLite store to the present form. A step that was released never changes. */
import type { DatabaseSync } from 'node:sqlite'

export const STEPS: readonly string[] = [
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
  // Up to where the rows of each ring were taken into the chain.
  `CREATE TABLE rings (
     slot INTEGER PRIMARY KEY,
     era TEXT NOT NULL,
     taken INTEGER NOT NULL
   ) STRICT`,
]

export function migrate(database: DatabaseSync): void {
  // Two processes may start at once: the first takes the write lock, the second finds the work done.
  database.exec('BEGIN IMMEDIATE')
  try {
    const row = database.prepare('PRAGMA user_version').get()
    const version = Number(row?.['user_version'])
    if (version > STEPS.length) throw new Error(`the store was written by a newer version (${version})`)
    for (const step of STEPS.slice(version)) database.exec(step)
    database.exec(`PRAGMA user_version = ${STEPS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
