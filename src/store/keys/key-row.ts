/** A key as a row of the table `keys`, the same in both databases. */
import type { KeyLimits, StoredKey } from '../store.ts'

export interface KeyRow {
  readonly id: string
  readonly name: string
  readonly digest: Uint8Array
  readonly scopes: string
  readonly limits: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
  readonly replaces: string | null
}

export function rowOfKey(key: StoredKey): KeyRow {
  return {
    id: key.id,
    name: key.name,
    digest: Buffer.from(key.digest),
    scopes: JSON.stringify(key.scopes),
    limits: JSON.stringify(key.limits),
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
    replaces: key.replaces,
  }
}

export function keyOfRow(row: KeyRow): StoredKey {
  return {
    id: row.id,
    name: row.name,
    digest: row.digest,
    scopes: JSON.parse(row.scopes) as string[],
    limits: JSON.parse(row.limits) as KeyLimits,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    replaces: row.replaces,
  }
}
