/** Keys in SQLite. Their secret is stored as an HMAC, and each request looks its key up, so that a revoked one stops working at once. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export interface Key {
  readonly id: string
  readonly scopes: readonly string[]
}

const BEARER = /^Bearer +(\w+)\.(\w+)$/

export class Keys {
  private readonly secret = randomBytes(32)
  private readonly insert: StatementSync
  private readonly select: StatementSync

  constructor(database: DatabaseSync) {
    database.exec(
      'CREATE TABLE keys (id TEXT PRIMARY KEY, name TEXT, digest BLOB, scopes TEXT, expiresAt INTEGER, revokedAt INTEGER)',
    )
    this.insert = database.prepare('INSERT INTO keys (id, name, digest, scopes) VALUES (?, ?, ?, ?)')
    this.select = database.prepare('SELECT digest, scopes, expiresAt, revokedAt FROM keys WHERE id = ?')
  }

  /** The written form of a new key. */
  make(name: string, scopes: readonly string[]): string {
    const id = randomBytes(6).toString('hex')
    const secret = randomBytes(32).toString('hex')
    this.insert.run(id, name, this.digestOf(secret), JSON.stringify(scopes))
    return `${id}.${secret}`
  }

  /** The key of an Authorization header, or null where it is missing, unknown, wrong, expired or revoked. */
  find(authorization: string | undefined): Key | null {
    const [, id = '', secret = ''] = BEARER.exec(authorization ?? '') ?? []
    const row = this.select.get(id)
    if (row === undefined || !timingSafeEqual(row['digest'] as Uint8Array, this.digestOf(secret))) return null
    if (row['revokedAt'] !== null || (row['expiresAt'] !== null && Number(row['expiresAt']) < Date.now()))
      return null
    return { id, scopes: JSON.parse(row['scopes'] as string) as string[] }
  }

  private digestOf(secret: string): Uint8Array {
    return createHmac('sha256', this.secret).update(secret).digest()
  }
}
