/**
 * SHA-256 in base64, as HTTP writes digests: of clinical files, of bodies and answers, and of audit rows. And seals with the server's
 * secret.
 */
import { type KeyObject, createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto'
import { StoreError } from './errors.ts'

export function digestOf(content: Uint8Array | string): string {
  return hash('sha256', content, 'base64')
}

/**
 * Seals a digest with the server's secret. A record has few fields with few values each, and a patient's number few digits, so anyone
 * who reads a plain digest can find the original by trying. A sealed digest says nothing without the secret.
 */
export type Seal = (digest: string) => string

export function makeSeal(secret: Uint8Array): Seal {
  const key = createHmac('sha256', secret).update('seal of the digests in the audit').digest('hex')
  // Both parts have a fixed length, so a plain hash over them is as good as an HMAC, and forty times faster.
  return (digest) => digestOf(key + digest)
}

const SEALED_LENGTH = 22

/** The form of a caller's own request id in log and audit: callers write names and record numbers into such ids. */
export function sealRequestId(seal: Seal, id: string): string {
  return `sealed-${seal(digestOf(`request id\n${id}`)).slice(0, SEALED_LENGTH)}`
}

/** An HMAC over the parts of a request, by which a repeated one is recognised. */
export function sealOfRequest(secret: Uint8Array, parts: readonly unknown[]): string {
  return createHmac('sha256', secret)
    .update(`seal of a request with outcomes\n${JSON.stringify(parts)}`)
    .digest('base64')
}

/** Distinguishes one key secret from another without revealing it. */
export function fingerprintOf(secret: Uint8Array): string {
  return createHmac('sha256', secret).update('fingerprint of the key secret').digest('base64')
}

/**
 * Queued audit rows are not in the chain yet, so no hash covers them. Each entry of the queue is sealed instead: whoever may write to the
 * database, and does not know the secret, cannot put a row into the chain.
 */
export class QueueSeal {
  private readonly keys: ReadonlyMap<string, KeyObject>

  /** The secrets of this process, the newest first. What any of them has sealed is accepted. */
  constructor(secrets: readonly Uint8Array[]) {
    this.keys = new Map(secrets.map((secret) => [fingerprintOf(secret), keyOf(secret)]))
  }

  /** Whether this process has the secret that the store names as the one in use; null where it names none yet. */
  knows(inUse: string | null): boolean {
    return inUse === null || this.keys.has(inUse)
  }

  /** With the secret in use, so that every process can check it. Throws where this process does not have it. */
  make(texts: string, inUse: string | null): Uint8Array {
    const [newest] = this.keys.values()
    const key = inUse === null ? newest : this.keys.get(inUse)
    if (key === undefined) throw new StoreError('this process does not have the key secret in use')
    return sealOf(key, texts)
  }

  fits(texts: string, seal: Uint8Array): boolean {
    return [...this.keys.values()].some((key) => {
      const own = sealOf(key, texts)
      return own.length === seal.length && timingSafeEqual(own, seal)
    })
  }
}

/** An object and no bytes: Node prepares bytes anew for every HMAC, which takes five times as long as the HMAC itself. */
function keyOf(secret: Uint8Array): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update('seal of the audit queue').digest())
}

function sealOf(key: KeyObject, texts: string): Buffer {
  return createHmac('sha256', key).update(texts).digest()
}
