/** Keys and their secret as they are managed, the same in SQLite and PostgreSQL. A request only looks a key up. */
import { parseJson } from 'patient-risk-engine/read'
import { readChain } from '../audit/write-groups.ts'
import type { SqlDatabase } from '../sql.ts'

/** Limits of a key's own. Undefined leaves a limit to the deployment, null lifts it. */
export interface KeyLimits {
  readonly requestsPerMinute?: number | null | undefined
  readonly recordsPerMinute?: number | null | undefined
}

export interface StoredKey {
  readonly id: string
  readonly name: string
  /** HMAC-SHA-256 of the secret; the secret itself is never stored. */
  readonly digest: Uint8Array
  /** Which secret of the server the digest was made with. */
  readonly secretFingerprint: string
  /** Deployments that the key may use, and `admin`; `*` stands for every deployment. */
  readonly scopes: readonly string[]
  readonly limits: KeyLimits
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** To the minute. */
  readonly lastUsedAt: number | null
  /** The key that this one was made to replace. */
  readonly replaces: string | null
}

const SELECT_KEYS = `SELECT id, name, digest, coalesce(secret_fingerprint, '') AS "secretFingerprint", scopes, limits,
  created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", last_used_at AS "lastUsedAt", replaces FROM keys`
const INSERT_KEY = `INSERT INTO keys
  (id, name, digest, secret_fingerprint, scopes, limits, created_at, expires_at, revoked_at, last_used_at, replaces)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
const MOVE_DIGEST = `UPDATE keys SET digest = $1, secret_fingerprint = $2
  WHERE id = $3 AND $2 = (SELECT secret_fingerprint FROM chain)`
const END_KEY = 'UPDATE keys SET expires_at = $1 WHERE id = $2 AND (expires_at IS NULL OR expires_at > $1)'

/** A key with its lists as JSON texts. */
interface KeyRow extends Omit<StoredKey, 'scopes' | 'limits'> {
  readonly scopes: string
  readonly limits: string
}

export class SqlKeys {
  private readonly database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.database = database
  }

  async findKey(id: string): Promise<StoredKey | undefined> {
    const [row] = await this.database.query<KeyRow>(`${SELECT_KEYS} WHERE id = $1`, id)
    return row && keyOfRow(row)
  }

  /** In the order in which they were made. */
  async listKeys(): Promise<readonly StoredKey[]> {
    return (await this.database.query<KeyRow>(`${SELECT_KEYS} ORDER BY created_at, id`)).map(keyOfRow)
  }

  /** Stores a key, and with it the time at which the key that it replaces ends, both or neither. */
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

  /** Whether there is such a key. Revoking twice keeps the first time. */
  async revokeKey(id: string, at: number): Promise<boolean> {
    const sql = 'UPDATE keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING id'
    return (await this.database.write(sql, at, id)).length > 0
  }

  /** Keeps the fingerprint of the key secret the first time, and returns the kept one from then on. */
  async secretFingerprint(own: string): Promise<string> {
    const kept = (await readChain(this.database.query)).secret_fingerprint
    // Do not write if one exists, so that a store on a full disk can still be opened.
    if (kept !== null) return kept
    await this.database.transaction(async (query) => {
      await query('UPDATE chain SET secret_fingerprint = coalesce(secret_fingerprint, $1)', own)
      await query('UPDATE keys SET secret_fingerprint = (SELECT secret_fingerprint FROM chain)')
    })
    return this.secretFingerprint(own)
  }

  /** Puts another secret into use. False where `from` is not the one in use. */
  async replaceSecret(from: string, to: string): Promise<boolean> {
    const sql = 'UPDATE chain SET secret_fingerprint = $1 WHERE secret_fingerprint = $2 RETURNING id'
    return (await this.database.write(sql, to, from)).length > 0
  }

  /** Gives a key its digest with another secret, where that is the one in use. */
  async moveDigest(id: string, digest: Uint8Array, secretFingerprint: string): Promise<void> {
    await this.database.write(MOVE_DIGEST, digest, secretFingerprint, id)
  }
}

function keyOfRow(row: KeyRow): StoredKey {
  const { scopes, limits } = row
  return { ...row, scopes: parseJson(scopes) as string[], limits: parseJson(limits) as KeyLimits }
}
