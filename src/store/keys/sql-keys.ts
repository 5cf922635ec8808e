/** Keys, and the secret that their digests are made with, the same in SQLite and PostgreSQL. */
import type { EntryGroup } from '../audit/audit-row.ts'
import { readChain } from '../audit/chain-row.ts'
import type { Query, SqlDatabase } from '../sql.ts'
import type { KeyLimits, StoredKey } from '../store.ts'

const SELECT_KEYS = `SELECT id, name, digest, coalesce(secret_fingerprint, '') AS "secretFingerprint", scopes, limits,
  created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", last_used_at AS "lastUsedAt", replaces FROM keys`
const INSERT_KEY = `INSERT INTO keys
  (id, name, digest, secret_fingerprint, scopes, limits, created_at, expires_at, revoked_at, last_used_at, replaces)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
const MOVE_DIGEST = `UPDATE keys SET digest = $1, secret_fingerprint = $2
  WHERE id = $3 AND $2 = (SELECT secret_fingerprint FROM chain)`
const END_KEY = 'UPDATE keys SET expires_at = $1 WHERE id = $2 AND (expires_at IS NULL OR expires_at > $1)'
const USE_KEY =
  'UPDATE keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)'

/** A key with its lists as JSON texts. */
type KeyRow = Omit<StoredKey, 'scopes' | 'limits'> & Readonly<Record<'scopes' | 'limits', string>>

export class SqlKeys<Database extends SqlDatabase = SqlDatabase> {
  protected readonly database: Database
  /** Keys and the minute of their last use, as far as this process has recorded it. */
  private readonly uses = new Map<string, number>()

  constructor(database: Database) {
    this.database = database
  }

  insertKey(key: StoredKey, oldEndsAt?: number): Promise<void> {
    const { id, name, digest, secretFingerprint, scopes, limits, replaces } = key
    const { createdAt, expiresAt, revokedAt, lastUsedAt } = key
    const lists = [JSON.stringify(scopes), JSON.stringify(limits)]
    const times = [createdAt, expiresAt, revokedAt, lastUsedAt]
    return this.database.transaction(async (query) => {
      await query(INSERT_KEY, id, name, digest, secretFingerprint, ...lists, ...times, replaces)
      if (oldEndsAt !== undefined) await query(END_KEY, oldEndsAt, replaces)
    })
  }

  async revokeKey(id: string, at: number): Promise<boolean> {
    const sql = 'UPDATE keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING id'
    return (await this.database.query(sql, at, id)).length > 0
  }

  async findKey(id: string): Promise<StoredKey | undefined> {
    const [row] = await this.database.query<KeyRow>(`${SELECT_KEYS} WHERE id = $1`, id)
    return row && keyOfRow(row)
  }

  async listKeys(): Promise<readonly StoredKey[]> {
    return (await this.database.query<KeyRow>(`${SELECT_KEYS} ORDER BY created_at, id`)).map(keyOfRow)
  }

  async latestTime(): Promise<number> {
    return (await readChain(this.database.query)).latest_time
  }

  async secretFingerprint(own: string): Promise<string> {
    const { query } = this.database
    const kept = (await readChain(query)).secret_fingerprint
    // Do not write if one exists, so that a store on a full disk can still be opened.
    if (kept !== null) return kept
    await query('UPDATE chain SET secret_fingerprint = coalesce(secret_fingerprint, $1)', own)
    await query('UPDATE keys SET secret_fingerprint = (SELECT secret_fingerprint FROM chain)')
    return (await readChain(query)).secret_fingerprint ?? ''
  }

  async replaceSecret(from: string, to: string): Promise<boolean> {
    const sql = 'UPDATE chain SET secret_fingerprint = $1 WHERE secret_fingerprint = $2 RETURNING id'
    return (await this.database.query(sql, to, from)).length > 0
  }

  async moveDigest(id: string, digest: Uint8Array, secretFingerprint: string): Promise<void> {
    await this.database.query(MOVE_DIGEST, digest, secretFingerprint, id)
  }

  /** The uses that are not recorded yet. */
  protected dueUses(uses: EntryGroup['uses']): EntryGroup['uses'] {
    return uses.filter(([keyId, minute]) => (this.uses.get(keyId) ?? -1) < minute)
  }

  protected async recordUses(query: Query, uses: EntryGroup['uses']): Promise<void> {
    for (const [keyId, minute] of uses) {
      const before = this.uses.get(keyId) ?? -1
      this.uses.set(keyId, minute)
      try {
        await query(USE_KEY, minute, keyId)
      } catch {
        // The next answer records it again.
        this.uses.set(keyId, before)
      }
    }
  }
}

function keyOfRow(row: KeyRow): StoredKey {
  const { scopes, limits } = row
  return { ...row, scopes: JSON.parse(scopes) as string[], limits: JSON.parse(limits) as KeyLimits }
}
