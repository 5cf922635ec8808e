/** The tables of the PostgreSQL store, as kysely checks statements against them. */
import type { AuditRow } from '../audit/audit-row.ts'
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

export interface AuditTable {
  readonly seq: number
  readonly at: number
  readonly request_id: string
  readonly content: string
  readonly hash: string
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
  readonly audit: AuditTable
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

export function auditOfRow({ seq, at, request_id: requestId, content, hash }: AuditTable): AuditRow {
  return { seq, at, requestId, content, hash }
}
