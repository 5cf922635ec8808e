/** SHA-256 in base64, as HTTP writes digests: of clinical files, of bodies and answers, and of audit rows. */
import { createHmac, hash } from 'node:crypto'

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
