/** Keys and their secret as they are managed, the same in SQLite and PostgreSQL. A request only looks a key up. */
import type { Codes } from 'patient-risk-engine'
import { parseJson } from 'patient-risk-engine/read'
import { type EntryGroup, type QueueRows } from '../audit/audit-row.ts'
import { readChain } from '../audit/write-groups.ts'
import { type QueueSeal } from '@patient-risk/runtime'
import { changeCarried } from '../audit/carried.ts'
import type { Query, SqlDatabase } from '../sql.ts'
import { type KeyFactsRow, SELECT_KEY_FACTS, keyFactsOf } from './key-facts.ts'
import { isLastAdmin } from './key-scopes.ts'
import type { KeyLimits, StoredKey } from './stored-key.ts'

const SELECT_KEYS = `SELECT id, name, digest, coalesce(secret_fingerprint, '') AS "secretFingerprint", scopes, limits, codes,
  created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", last_used_at AS "lastUsedAt", replaces FROM keys`
const INSERT_KEY = `INSERT INTO keys
  (id, name, digest, secret_fingerprint, scopes, limits, codes, created_at, expires_at, revoked_at, last_used_at, replaces)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
const MOVE_DIGEST = `UPDATE keys SET digest = $1, secret_fingerprint = $2
  WHERE id = $3 AND $2 = (SELECT secret_fingerprint FROM chain)`
const REVOKE_KEY = 'UPDATE keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING id'
const END_KEY = 'UPDATE keys SET expires_at = $1 WHERE id = $2 AND (expires_at IS NULL OR expires_at > $1)'

/** A key with its lists as JSON texts. */
interface KeyRow extends Omit<StoredKey, 'scopes' | 'limits' | 'codes'> {
  readonly scopes: string
  readonly limits: string
  readonly codes: string
}

export class SqlKeys {
  private readonly database: SqlDatabase

  private readonly seal: QueueSeal

  private readonly queueRows: QueueRows

  /** The seal is that of what the audit chain knows of keys. */
  constructor(database: SqlDatabase, seal: QueueSeal, queueRows: QueueRows) {
    this.database = database
    this.seal = seal
    this.queueRows = queueRows
  }

  async findKey(id: string): Promise<StoredKey | undefined> {
    const [row] = await this.database.query<KeyRow>(`${SELECT_KEYS} WHERE id = $1`, id)
    return row && keyOfRow(row)
  }

  /** In the order in which they were made. */
  async listKeys(): Promise<readonly StoredKey[]> {
    return (await this.database.query<KeyRow>(`${SELECT_KEYS} ORDER BY created_at, id`)).map(keyOfRow)
  }

  /** Stores a key, and with it the time at which the key that it replaces ends and the audit row of that, all or nothing. */
  insertKey(key: StoredKey, oldEndsAt?: number, row?: EntryGroup): Promise<void> {
    const { id, name, digest, secretFingerprint, scopes, limits, codes, replaces } = key
    const { createdAt, expiresAt, revokedAt, lastUsedAt } = key
    const lists = [scopes, limits, codes].map((each) => JSON.stringify(each))
    const times = [createdAt, expiresAt, revokedAt, lastUsedAt]
    return this.changeKeys([id, replaces ?? id], async (query) => {
      await query(INSERT_KEY, id, name, digest, secretFingerprint, ...lists, ...times, replaces)
      if (oldEndsAt !== undefined) await query(END_KEY, oldEndsAt, replaces)
      return row
    })
  }

  /** Whether there is such a key. Revoking twice keeps the first time. The audit row is stored with it. */
  async revokeKey(id: string, at: number, row?: EntryGroup): Promise<boolean> {
    let isThere = false
    await this.changeKeys([id], async (query) => {
      isThere = (await query(REVOKE_KEY, at, id)).length > 0
      return isThere ? row : undefined
    })
    return isThere
  }

  /**
   * Revokes a key, unless no other usable key could manage what it does: then it returns false. The same transaction looks and revokes, so
   * that two administrators who revoke each other's keys cannot both succeed. `latest` is the latest time ever seen.
   */
  async revokeSpareKey(id: string, at: number, latest: number, row?: EntryGroup): Promise<boolean> {
    let isSpare = false
    await this.changeKeys([id], async (query) => {
      const keys = (await query<KeyRow>(SELECT_KEYS)).map(keyOfRow)
      const key = keys.find((each) => each.id === id)
      isSpare = key === undefined || !isLastAdmin(key, keys, latest)
      if (isSpare) await query(REVOKE_KEY, at, id)
      return isSpare ? row : undefined
    })
    return isSpare
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
    return this.database.transaction(async (query) => {
      const isReplaced = (await query(sql, to, from)).length > 0
      // Sealed again, so that it can be checked when the secret before is gone.
      if (isReplaced && this.seal.knows(to)) await changeCarried(query, this.seal, () => true)
      return isReplaced
    })
  }

  /** Gives a key its digest with another secret, where that is the one in use. */
  async moveDigest(id: string, digest: Uint8Array, secretFingerprint: string): Promise<void> {
    await this.changeKeys([id], async (query) => {
      await query(MOVE_DIGEST, digest, secretFingerprint, id)
      return undefined
    })
  }

  /** Changes keys, what the audit chain knows of them, and adds the row that the change returns: all of it or nothing. */
  private changeKeys(
    ids: readonly string[],
    change: (query: Query) => Promise<EntryGroup | undefined>,
  ): Promise<void> {
    return this.database.transaction(async (query) => {
      // One after the other: they all write what is known of keys.
      if (this.database.isConcurrent) await query('SELECT 1 FROM chain FOR UPDATE')
      const before = await factsOfKeys(query, ids)
      const row = await change(query)
      const after = await factsOfKeys(query, ids)
      await changeCarried(query, this.seal, ({ keys }) => {
        let isNew = false
        for (const [id, facts] of after) {
          // A key that somebody has changed stays unknown, for `audit verify` to find.
          const isForeign = before.has(id) && before.get(id) !== keys.get(id)
          if (isForeign || keys.get(id) === facts) continue
          keys.set(id, facts)
          isNew = true
        }
        return isNew
      })
      // Last: a lock on the queue is held for a moment only.
      if (row !== undefined) await this.queueRows(query, row)
    })
  }
}

async function factsOfKeys(query: Query, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const facts = new Map<string, string>()
  for (const id of new Set(ids)) {
    const [row] = await query<KeyFactsRow>(`${SELECT_KEY_FACTS} WHERE id = $1`, id)
    if (row !== undefined) facts.set(id, keyFactsOf(row))
  }
  return facts
}

function keyOfRow(row: KeyRow): StoredKey {
  const { scopes, limits, codes } = row
  return {
    ...row,
    scopes: parseJson(scopes) as string[],
    limits: parseJson(limits) as KeyLimits,
    codes: parseJson(codes) as Codes,
  }
}
