/** Rows of the SQLite file as what they stand for. */
import type { SQLInputValue } from 'node:sqlite'
import type { AuditRow } from '../audit/audit-row.ts'
import type { KeyLimits, StoredKey } from '../store.ts'

type Row = Readonly<Record<string, unknown>>

/** In the order of the insert statement. */
export function keyValues(key: StoredKey): readonly SQLInputValue[] {
  return [
    key.id,
    key.name,
    key.digest,
    JSON.stringify(key.scopes),
    JSON.stringify(key.limits),
    key.createdAt,
    key.expiresAt,
    key.revokedAt,
    key.lastUsedAt,
    key.replaces,
  ]
}

export function keyOf(row: Row): StoredKey {
  return {
    id: row['id'] as string,
    name: row['name'] as string,
    digest: row['digest'] as Uint8Array,
    scopes: JSON.parse(row['scopes'] as string) as string[],
    limits: JSON.parse(row['limits'] as string) as KeyLimits,
    createdAt: row['created_at'] as number,
    expiresAt: row['expires_at'] as number | null,
    revokedAt: row['revoked_at'] as number | null,
    lastUsedAt: row['last_used_at'] as number | null,
    replaces: row['replaces'] as string | null,
  }
}

export function auditRowOf(row: Row): AuditRow {
  return {
    seq: row['seq'] as number,
    at: row['at'] as number,
    requestId: row['request_id'] as string,
    content: row['content'] as string,
    hash: row['hash'] as string,
  }
}
