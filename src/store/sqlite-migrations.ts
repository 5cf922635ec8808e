/** The steps that bring an SQLite store to the present form. A step that was released never changes. */
import type { DatabaseSync } from 'node:sqlite'

const STEPS = [
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
