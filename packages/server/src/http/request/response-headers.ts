/**
 * Headers of answers: those that protect a browser, those that let web pages of other origins read them, and the digest of the
 * deployment. The digest is an entity tag too (RFC 9110, section 13): callers insist on it, or ask only for what has changed.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Deployment } from '@patient-risk/catalog'

/** For answers that carry data. */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // Answers are about patients: neither a browser nor a proxy may keep them.
  'cache-control': 'no-store',
}

/** With those that a browser applies to pages only. Scoring answers do without them: each header has its price. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...DATA_HEADERS,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** For our own pages, which load scripts and styles from this service and nothing from anywhere else. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const EXPOSED_HEADERS =
  'risk-deployment, risk-model, risk-model-digest, risk-deployment-digest, risk-mapping-digest, risk-codes-digest, risk-unit-doubt, ' +
  'risk-feed-doubt, risk-calibration-alarm, content-language, content-location, preference-applied, x-progress, ' +
  'x-request-id, etag, retry-after, deprecation, sunset'

/** Names the origin of a web page in the answer when the deployment allows it. Browsers never send keys on their own. */
export function allowOrigin(raw: IncomingMessage, reply: FastifyReply, cors: Deployment['cors']): boolean {
  if (cors === undefined) return false
  reply.header('vary', 'origin')
  const { origin } = raw.headers
  if (origin === undefined || !cors.origins.includes(origin)) return false
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-expose-headers', EXPOSED_HEADERS)
  // A page of another origin may read this answer, so it may also embed it.
  reply.header('cross-origin-resource-policy', 'cross-origin')
  return true
}

/** The tags of a list. A tag may hold commas, but no quotes. */
const TAG = /(?<=^|,)[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)/g

/**
 * Whether a list names the digest, alone or with the language and the coding that were chosen, or is `*`. A weak tag stands for
 * bytes that may differ, so `If-Match` never takes one.
 */
export function isListed(list: string, digest: string, takesWeak: boolean): boolean {
  return names(list, takesWeak, (tag) => tag === digest || tag.startsWith(`${digest}-`))
}

/** Whether a list names one of the wanted tags, or is `*`. */
export function names(list: string, takesWeak: boolean, isWanted: (tag: string) => boolean): boolean {
  if (list.trim() === '*') return true
  return [...list.matchAll(TAG)].some(
    ([, weak, tag = '']) => isWanted(tag) && (takesWeak || weak === undefined),
  )
}
