/** The digest of a clinical file: SHA-256 over its bytes, in base64 as HTTP writes digests. */
import { createHash } from 'node:crypto'

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64')
}
