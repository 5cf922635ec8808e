/** Rows of the SQLite file as what they stand for. */
import type { SQLInputValue } from 'node:sqlite'
import { type ReadableGroup, endOf } from '../audit/audit-group.ts'
import type { ChainPoint } from '../audit/audit-row.ts'
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

export function groupOf(row: Row, start: ChainPoint, dictionary: string): ReadableGroup {
  const lastSeq = row['last_seq'] as number
  const count = row['count'] as number
  const prev = row['prev'] as Uint8Array | null
  return {
    lastSeq,
    count,
    lastAt: row['last_at'] as number,
    packed: row['packed'] as Uint8Array,
    hash: row['hash'] as Uint8Array,
    dictionary,
    prev:
      prev !== null ? endOf({ lastSeq, hash: prev }).hash : start.seq === lastSeq - count ? start.hash : '',
  }
}
