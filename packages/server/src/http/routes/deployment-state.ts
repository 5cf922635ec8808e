/** The state of a deployment that a caller insists on. */
import type { FastifyReply } from 'fastify'
import { digestText } from '@patient-risk/catalog'
import { AppError } from '@patient-risk/runtime'
import type { RequestContext } from '../request/request-context.ts'
import { isListed } from '../request/response-headers.ts'

/** Refuses a call that insists on another state of its deployment. The last check before the body is read. */
export function refuseOtherState({ raw, deployment }: RequestContext, reply: FastifyReply): void {
  const list = raw.headers['if-match']
  if (list === undefined || deployment === undefined || isListed(list, deployment.digest, false)) return
  // The caller sees which state it would get.
  reply.header('risk-deployment-digest', digestText(deployment))
  throw new AppError('DEPLOYMENT_CHANGED')
}
