/** What may be told of a key to those who manage keys: everything but its digest. */
import type { KeyLimits, StoredKey } from '../store.ts'

export interface KeyDescription {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly limits: KeyLimits
  readonly created: string
  readonly expires: string | null
  readonly revoked: string | null
  readonly lastUsed: string | null
  readonly replaces: string | null
}

export function describeKey(key: StoredKey): KeyDescription {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    limits: key.limits,
    created: new Date(key.createdAt).toISOString(),
    expires: isoTime(key.expiresAt),
    revoked: isoTime(key.revokedAt),
    lastUsed: isoTime(key.lastUsedAt),
    replaces: key.replaces,
  }
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
