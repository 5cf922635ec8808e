/** A UUID that follows from a text (version 8 of RFC 9562): the same request gets the same answer. */
import { hash } from 'node:crypto'

export function stableUuid(text: string): string {
  const digest = hash('sha256', text)
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}
