/** The embedded store: one SQLite file, durable at a power cut, and safe beside the command line. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { migrate } from './sqlite-migrations.ts'
import type { Store, StoredKey } from './store.ts'

const BUSY_TIMEOUT_MS = 2_000
const MINUTE_MS = 60_000

export function openSqliteStore(path: string): Store {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  // FULL: with NORMAL, a power cut loses rows that were acknowledged.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  migrate(database)
  return new SqliteStore(database)
}

class SqliteStore implements Store {
  private readonly database: DatabaseSync
  private readonly insert: StatementSync
  private readonly find: StatementSync
  private readonly list: StatementSync
  private readonly use: StatementSync

  constructor(database: DatabaseSync) {
    this.database = database
    this.insert = database.prepare(
      'INSERT INTO keys (id, name, digest, scopes, created_at, expires_at, revoked_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.find = database.prepare('SELECT * FROM keys WHERE id = ?')
    this.list = database.prepare('SELECT * FROM keys ORDER BY created_at, id')
    this.use = database.prepare(
      'UPDATE keys SET last_used_at = ?1 WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < ?1)',
    )
  }

  insertKey(key: StoredKey): Promise<void> {
    this.insert.run(
      key.id,
      key.name,
      key.digest,
      JSON.stringify(key.scopes),
      key.createdAt,
      key.expiresAt,
      key.revokedAt,
      key.lastUsedAt,
    )
    return Promise.resolve()
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    const row = this.find.get(id)
    return Promise.resolve(row === undefined ? undefined : keyOf(row))
  }

  listKeys(): Promise<readonly StoredKey[]> {
    return Promise.resolve(this.list.all().map(keyOf))
  }

  noteUse(id: string, at: number): Promise<void> {
    this.use.run(Math.floor(at / MINUTE_MS) * MINUTE_MS, id)
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.database.close()
    return Promise.resolve()
  }
}

function keyOf(row: Readonly<Record<string, unknown>>): StoredKey {
  return {
    id: row['id'] as string,
    name: row['name'] as string,
    digest: row['digest'] as Uint8Array,
    scopes: JSON.parse(row['scopes'] as string) as string[],
    createdAt: row['created_at'] as number,
    expiresAt: row['expires_at'] as number | null,
    revokedAt: row['revoked_at'] as number | null,
    lastUsedAt: row['last_used_at'] as number | null,
  }
}
