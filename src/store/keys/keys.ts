/** Making and replacing keys. What is stored of a key cannot be turned back into it. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ApiKey, formatApiKey, newApiKey } from './api-key.ts'
import type { KeyLimits, Store, StoredKey } from '../store.ts'

export interface NewKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  readonly limits?: KeyLimits
}

export interface MadeKey {
  readonly id: string
  /** The written form. It is returned here, and never again. */
  readonly key: string
}

/** With `old`, the new key replaces that one, which ends at the given time. */
export async function makeKey(
  store: Store,
  secret: Uint8Array,
  request: NewKey,
  now: number,
  old?: { readonly id: string; readonly endsAt: number },
): Promise<MadeKey> {
  const made = newApiKey()
  const { name, scopes, expiresAt, limits = {} } = request
  await store.insertKey(
    {
      id: made.id,
      digest: digestOf(secret, made.secret),
      ...{ name, scopes, expiresAt, limits },
      createdAt: now,
      revokedAt: null,
      lastUsedAt: null,
      replaces: old?.id ?? null,
    },
    old?.endsAt,
  )
  return { id: made.id, key: formatApiKey(made) }
}

/** Whether the secret that was shown is the one that the stored key was made with. Takes as long for a near miss as for a far one. */
export function isGenuine(secret: Uint8Array, shown: ApiKey, key: StoredKey): boolean {
  return timingSafeEqual(digestOf(secret, shown.secret), key.digest)
}

/** Distinguishes one key secret from another without revealing it. */
export function fingerprintOf(secret: Uint8Array): string {
  return createHmac('sha256', secret).update('fingerprint of the key secret').digest('base64')
}

function digestOf(secret: Uint8Array, keySecret: string): Uint8Array {
  return createHmac('sha256', secret).update(keySecret).digest()
}
