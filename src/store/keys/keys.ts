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

export async function makeKey(
  store: Store,
  secret: Uint8Array,
  request: NewKey,
  now: number,
): Promise<MadeKey> {
  const key = newApiKey()
  await store.insertKey(stored(key, secret, { ...request, createdAt: now, replaces: null }))
  return { id: key.id, key: formatApiKey(key) }
}

/** Makes a key with the name, scopes and limits of another one, which ends then. */
export async function rotateKey(
  store: Store,
  secret: Uint8Array,
  old: StoredKey,
  times: { readonly now: number; readonly oldEndsAt: number; readonly expiresAt: number | null },
): Promise<MadeKey> {
  const key = newApiKey()
  const { name, scopes, limits, id } = old
  const { now: createdAt, oldEndsAt, expiresAt } = times
  await store.replaceKey(
    stored(key, secret, { name, scopes, limits, expiresAt, createdAt, replaces: id }),
    id,
    oldEndsAt,
  )
  return { id: key.id, key: formatApiKey(key) }
}

/** Whether the secret that was shown is the one that the stored key was made with. Takes as long for a near miss as for a far one. */
export function isGenuine(secret: Uint8Array, shown: ApiKey, key: StoredKey): boolean {
  return timingSafeEqual(digestOf(secret, shown.secret), key.digest)
}

/** Distinguishes one key secret from another without revealing it. */
export function fingerprintOf(secret: Uint8Array): string {
  return createHmac('sha256', secret).update('fingerprint of the key secret').digest('base64')
}

function stored(
  { id, secret: keySecret }: ApiKey,
  secret: Uint8Array,
  request: NewKey & { readonly createdAt: number; readonly replaces: string | null },
): StoredKey {
  return {
    ...request,
    limits: request.limits ?? {},
    id,
    digest: digestOf(secret, keySecret),
    revokedAt: null,
    lastUsedAt: null,
  }
}

function digestOf(secret: Uint8Array, keySecret: string): Uint8Array {
  return createHmac('sha256', secret).update(keySecret).digest()
}
