/** The digest of a deployment as an entity tag (RFC 9110, section 13): callers insist on it, or ask only for what has changed. */
import type { FastifyReply } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { AppError } from '../../errors.ts'
import type { RequestContext } from './request-context.ts'

/** The tags of a list. A tag may hold commas, but no quotes. */
const TAG = /(?<=^|,)[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)/g

/** How the headers of answers and the descriptions of a deployment write its digest. */
export const digestText = ({ digest }: Deployment): string => `sha-256=:${digest}:`

/** Whether a list names the digest, or is `*`. A weak tag stands for bytes that may differ, so `If-Match` never takes one. */
function isListed(list: string, digest: string, takesWeak: boolean): boolean {
  if (list.trim() === '*') return true
  return [...list.matchAll(TAG)].some(([, weak, tag]) => tag === digest && (takesWeak || weak === undefined))
}

/** Refuses a call that insists on another state of its deployment. The last check before the body is read. */
export function refuseOtherState({ raw, deployment }: RequestContext, reply: FastifyReply): void {
  const list = raw.headers['if-match']
  if (list === undefined || deployment === undefined || isListed(list, deployment.digest, false)) return
  // The caller sees which state it would get.
  reply.header('risk-deployment-digest', digestText(deployment))
  throw new AppError('DEPLOYMENT_CHANGED')
}

/** Sends what describes a deployment, with its digest as the tag; 304 to a caller that has it already. */
export function sendTagged(
  { raw }: RequestContext,
  reply: FastifyReply,
  { digest }: Deployment,
  value: object,
): FastifyReply {
  reply.header('etag', `"${digest}"`)
  const list = raw.headers['if-none-match']
  return list !== undefined && isListed(list, digest, true) ? reply.code(304).send() : reply.send(value)
}
