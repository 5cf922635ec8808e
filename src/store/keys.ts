/** Making and verifying keys. What is stored of a key cannot be turned back into it. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { formatApiKey, newApiKey, parseApiKey } from './api-key.ts'
import type { Store, StoredKey } from './store.ts'

export interface NewKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
}

/** Makes a key. Its written form is returned here, and never again. */
export async function makeKey(
  store: Store,
  secret: Uint8Array,
  request: NewKey,
  now: number,
): Promise<{ readonly id: string; readonly key: string }> {
  const key = newApiKey()
  await store.insertKey({
    ...request,
    id: key.id,
    digest: digestOf(secret, key.secret),
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
  })
  return { id: key.id, key: formatApiKey(key) }
}

/** The stored key that a caller has shown, or undefined for a key that is unknown, mistyped, expired or revoked. */
export async function verifyKey(
  store: Store,
  secret: Uint8Array,
  text: string,
  now: number,
): Promise<StoredKey | undefined> {
  const shown = parseApiKey(text)
  if (shown === undefined) return undefined
  const stored = await store.findKey(shown.id)
  if (stored === undefined) return undefined
  if (!timingSafeEqual(digestOf(secret, shown.secret), stored.digest)) return undefined
  const isExpired = stored.expiresAt !== null && stored.expiresAt <= now
  return isExpired || stored.revokedAt !== null ? undefined : stored
}

/** Whether a key may use a deployment. `*` covers every deployment, and never the management calls. */
export function mayUse(key: StoredKey, deployment: string): boolean {
  return key.scopes.includes('*') || key.scopes.includes(deployment)
}

function digestOf(secret: Uint8Array, keySecret: string): Uint8Array {
  return createHmac('sha256', secret).update(keySecret).digest()
}
