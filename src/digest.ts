/** SHA-256 in base64, as HTTP writes digests: of clinical files, of bodies and answers, and of audit rows. */
import { hash } from 'node:crypto'

export function digestOf(content: Uint8Array | string): string {
  return hash('sha256', content, 'base64')
}
