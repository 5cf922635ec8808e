/** The calls that answer records: score, validate and explain. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { AppError } from '../../errors.ts'
import type { BatchAnswer } from '../../engine/batch.ts'
import { authenticate } from '../authenticate.ts'
import { takeRecords, takeRequest } from '../limit.ts'
import { codingOf } from '../read-body.ts'
import type { Service } from '../service.ts'

export const SCORING_PATH = '/risk/api/do/v0'

export function scoringRoutes(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const { scorer, basePath } = deployment
  const path = basePath + SCORING_PATH
  const calls: readonly (readonly [string, string, (body: Uint8Array, today: number) => BatchAnswer])[] = [
    ['score', path, scorer.score],
    ['validate', `${path}/validate`, scorer.validate],
    ['explain', `${path}/explain`, scorer.explain],
  ]
  for (const [call, url, answer] of calls) {
    app.route({
      method: 'POST',
      url,
      config: { audited: { call, deployment } },
      bodyLimit: deployment.limits.bytes,
      onRequest: (request, reply) => admit(request, reply, service, deployment),
      handler: async (request, reply) => {
        const today = service.clock.today()
        const { bytes, tally } = answer(bodyOf(request), today)
        await takeRecords(reply, service, deployment, request.caller, tally.records)
        Object.assign(request.trace, { tally, today })
        request.facts['records'] = tally.records
        request.facts['scored'] = tally.scored
        return nameSource(reply, deployment).type('application/json; charset=utf-8').send(bytes)
      },
    })
  }
}

/** Everything that can be refused before a byte of the body is read. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
  deployment: Deployment,
): Promise<void> {
  request.facts['deployment'] = deployment.name
  request.caller = await authenticate(request, reply, service, deployment.name)
  await takeRequest(reply, service, deployment, request.caller)
  if (deployment.model.trouble.length > 0) throw new AppError('MODEL_NOT_READY')
  if (codingOf(request.headers['content-encoding']) === undefined) throw new AppError('CONTENT_CODING')
  if (!isJson(request.headers['content-type'])) throw new AppError('MEDIA_TYPE')
}

/** JSON is UTF-8; a caller that says otherwise would be misread. */
function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  return (
    type === 'application/json' &&
    parameters.every((each) => !each.startsWith('charset=') || /^charset="?utf-8"?$/.test(each))
  )
}

function bodyOf(request: FastifyRequest): Uint8Array {
  if (request.body instanceof Uint8Array && request.body.length > 0) return request.body
  throw new AppError('BODY_MALFORMED', 'The body is empty. Send a JSON array of patient records.')
}

/** Every answer names what produced it. */
function nameSource(reply: FastifyReply, deployment: Deployment): FastifyReply {
  const { definition, digest } = deployment.model
  reply.header('risk-deployment', deployment.name)
  reply.header('risk-model', `${definition.id}@${definition.version}`)
  reply.header('risk-model-digest', `sha-256=:${digest}:`)
  const { retirement } = deployment
  if (retirement !== undefined) {
    reply.header('deprecation', `@${Math.floor(Date.parse(retirement.deprecated) / 1000)}`)
    if (retirement.sunset !== undefined) reply.header('sunset', new Date(retirement.sunset).toUTCString())
  }
  return reply
}
