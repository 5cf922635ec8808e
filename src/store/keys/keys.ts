/** Making, replacing and revoking keys. What is stored of a key cannot be turned back into it. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ApiKey, formatApiKey, newApiKey } from './api-key.ts'
import type { KeyLimits, Store, StoredKey } from '../store.ts'

export const ADMIN_SCOPE = 'admin'
export const EVERY_DEPLOYMENT = '*'

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

/** Makes a key like another one, which ends after the overlap. The new key lives as long as the old one was made for. */
export async function rotateKey(
  store: Store,
  secret: Uint8Array,
  old: StoredKey,
  times: { readonly now: number; readonly overlapMs: number; readonly expiresAt?: number | null },
): Promise<MadeKey> {
  const { now, overlapMs } = times
  const lifetimeMs = old.expiresAt === null ? null : old.expiresAt - old.createdAt
  const expiresAt = times.expiresAt ?? (lifetimeMs === null ? null : now + lifetimeMs)
  const key = newApiKey()
  const { name, scopes, limits, id } = old
  const fresh = stored(key, secret, { name, scopes, limits, expiresAt, createdAt: now, replaces: id })
  await store.replaceKey(fresh, id, now + overlapMs)
  return { id: key.id, key: formatApiKey(key) }
}

/** Whether the secret that was shown is the one that the stored key was made with. Takes as long for a near miss as for a far one. */
export function isGenuine(secret: Uint8Array, shown: ApiKey, key: StoredKey): boolean {
  return timingSafeEqual(digestOf(secret, shown.secret), key.digest)
}

/** Whether a key may use a deployment. `*` covers every deployment, and never the management calls. */
export function mayUse(key: StoredKey, deployment: string): boolean {
  return key.scopes.includes(EVERY_DEPLOYMENT) || key.scopes.includes(deployment)
}

export function mayAdminister(key: StoredKey): boolean {
  return key.scopes.includes(ADMIN_SCOPE)
}

/** Tells one key secret from another without giving it away. */
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
