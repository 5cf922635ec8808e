/** The calls that answer records: score, validate and explain. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { AppError } from '../../errors.ts'
import type { Call } from '../../engine/scorer.ts'
import { authenticate } from '../authenticate.ts'
import { takeRecords, takeRequest } from '../limit.ts'
import { codingOf } from '../read-body.ts'
import type { Service } from '../service.ts'
import { answerStream } from '../stream/answer-stream.ts'
import { LINES_TYPE, LineSource, mediaType } from '../stream/line-source.ts'

export const SCORING_PATH = '/risk/api/do/v0'

export function scoringRoutes(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const path = deployment.basePath + SCORING_PATH
  const calls: readonly (readonly [Call, string])[] = [
    ['score', path],
    ['validate', `${path}/validate`],
    ['explain', `${path}/explain`],
  ]
  for (const [call, url] of calls) {
    app.route({
      method: 'POST',
      url,
      config: { audited: { call, deployment }, streams: true },
      bodyLimit: deployment.limits.bytes,
      onRequest: (request, reply) => admit(request, reply, service, deployment),
      handler: async (request, reply) => {
        if (request.body instanceof LineSource) {
          nameSource(reply, deployment)
          await answerStream({ request, reply, service, deployment, call, source: request.body })
          return reply
        }
        const today = service.clock.today()
        const body = bodyOf(request)
        // A large body is given away to a thread, so its sample is taken before.
        const sample = call === 'score' ? service.drift.sampleOf(deployment.name, body) : undefined
        const { bytes, tally, digests } = await service.lane.answer(deployment, call, body, today)
        await takeRecords(reply, service, deployment, request.caller, tally.records)
        Object.assign(request.trace, { tally, today })
        if (digests !== undefined) {
          Object.assign(request.trace, { bodyDigest: digests.body, answerDigest: digests.answer })
        }
        if (sample !== undefined) service.drift.count(deployment.name, sample, today)
        request.facts['records'] = tally.records
        request.facts['scored'] = tally.scored
        nameSource(reply, deployment)
        return reply.type('application/json; charset=utf-8').send(bytes)
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
  const coding = codingOf(request.headers['content-encoding'])
  const type = mediaType(request.headers['content-type'])
  // A packed stream could not be answered as it comes.
  if (coding === undefined || (type === LINES_TYPE && coding !== 'identity')) {
    throw new AppError('CONTENT_CODING')
  }
  if (type !== 'application/json' && type !== LINES_TYPE) throw new AppError('MEDIA_TYPE')
}

function bodyOf(request: FastifyRequest): Uint8Array {
  if (request.body instanceof Uint8Array && request.body.length > 0) return request.body
  throw new AppError('BODY_MALFORMED', 'The body is empty. Send a JSON array of patient records.')
}

/** Every answer names what produced it. */
function nameSource(reply: FastifyReply, deployment: Deployment): void {
  const { definition, digest } = deployment.model
  reply.header('risk-deployment', deployment.name)
  reply.header('risk-model', `${definition.id}@${definition.version}`)
  reply.header('risk-model-digest', `sha-256=:${digest}:`)
  const { retirement } = deployment
  if (retirement !== undefined) {
    reply.header('deprecation', `@${Math.floor(Date.parse(retirement.deprecated) / 1000)}`)
    if (retirement.sunset !== undefined) reply.header('sunset', new Date(retirement.sunset).toUTCString())
  }
}
