/** The tables of the PostgreSQL store, as kysely checks statements against them. */
import type { Generated } from 'kysely'
import type { KeyLimits, StoredKey } from '../store.ts'

export interface KeyTable {
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

export interface GroupTable {
  readonly last_seq: number
  readonly count: number
  readonly last_at: number
  readonly context: number
  readonly packed: Uint8Array
  readonly hash: Uint8Array
}

export interface ChainTable {
  readonly id: number
  readonly start_seq: number
  readonly start_hash: string
  readonly head_seq: number
  readonly head_hash: string
  readonly latest_time: number
  readonly secret_fingerprint: string | null
}

export interface Tables {
  readonly keys: KeyTable
  readonly audit: GroupTable
  readonly audit_context: { readonly id: Generated<number>; readonly text: string }
  readonly chain: ChainTable
  readonly quota: {
    readonly counter: string
    readonly started_at: number
    readonly taken: number
    readonly granted: number
  }
  readonly schema_version: { readonly version: number }
}

export function rowOfKey(key: StoredKey): KeyTable {
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

export function keyOfRow(row: KeyTable): StoredKey {
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
