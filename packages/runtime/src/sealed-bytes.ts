/**
 * Encryption of what is kept on disk for a while: AES-256-GCM, a random nonce for every piece. Each piece is bound to its name, so that
 * pieces cannot be exchanged. A key of its own is sealed by the server's secret and can be thrown away: without it the bytes say nothing.
 */
import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
} from 'node:crypto'
import { POOLED_BYTES, freeNow } from './workers/buffer-pool.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What a sealed piece takes beyond its bytes. */
export const SEALED_EXTRA_BYTES = NONCE_BYTES + TAG_BYTES

export function newDataKey(): Uint8Array {
  return randomBytes(KEY_BYTES)
}

/** A key object, where many pieces are sealed: of bytes, Node makes one for every piece, which takes four times as long as the sealing. */
export type SealingKey = Uint8Array | KeyObject

export function sealBytes(key: SealingKey, bytes: Uint8Array, name: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce)
  cipher.setAAD(Buffer.from(name))
  const inner = cipher.update(bytes)
  const sealed = Buffer.concat([nonce, inner, cipher.final(), cipher.getAuthTag()])
  freeLarge(inner)
  return sealed
}

/** Throws where the bytes are not what this key has sealed under this name. */
export function openBytes(key: SealingKey, sealed: Uint8Array, name: string): Buffer {
  if (sealed.length < SEALED_EXTRA_BYTES) throw new Error('a sealed piece is too short')
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(name))
  decipher.setAuthTag(sealed.subarray(end))
  const inner = decipher.update(sealed.subarray(NONCE_BYTES, end))
  // Throws where the tag is not that of the bytes. It has none of its own.
  decipher.final()
  return inner
}

/** Many large pieces would make the garbage collector run over the whole heap. */
function freeLarge(part: Buffer): void {
  if (part.length >= POOLED_BYTES) freeNow(part)
}

/** A data key as it may be stored: sealed by a secret of the server. */
export function sealDataKey(secret: Uint8Array, key: Uint8Array, name: string): Buffer {
  return sealBytes(wrappingKey(secret), key, name)
}

/** The data key that one of the secrets has sealed; undefined where it was none of them. */
export function openDataKey(
  secrets: readonly Uint8Array[],
  sealed: Uint8Array,
  name: string,
): Uint8Array | undefined {
  for (const secret of secrets) {
    try {
      return openBytes(wrappingKey(secret), sealed, name)
    } catch {
      // Another secret may have sealed it.
    }
  }
  return undefined
}

/** The key of receipts of a deployment, from a secret of the server. Receipts of other deployments and services have other keys. */
export function receiptKeyOf(secret: Uint8Array, deployment: string): KeyObject {
  const digest = createHmac('sha256', secret).update(`seal of receipts\n${deployment}`).digest()
  return createSecretKey(digest)
}

function wrappingKey(secret: Uint8Array): Uint8Array {
  return createHmac('sha256', secret).update('seal of the keys of stored data').digest()
}
