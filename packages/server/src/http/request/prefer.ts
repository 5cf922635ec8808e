/** What a caller prefers (RFC 7240). */
import type { IncomingMessage } from 'node:http'

/** Preferences with parameters, in one header or several. */
const RESPOND_ASYNC = /(^|,)\s*respond-async\s*(;|,|$)/i

/** Whether a caller prefers to fetch the answer later. */
export function prefersLater({ headers }: IncomingMessage): boolean {
  return RESPOND_ASYNC.test([headers['prefer'] ?? ''].flat().join(','))
}
