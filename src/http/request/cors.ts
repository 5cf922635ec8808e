/** Calls from web pages of other origins: none, unless a deployment names the origin. */
import type { FastifyInstance } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import type { Asked, Told } from './request-context.ts'
import { SCORING_PATH } from '../scoring/path.ts'

const REQUEST_HEADERS = 'authorization, content-type, content-encoding, x-request-id'
const ANSWER_HEADERS =
  'risk-deployment, risk-model, risk-model-digest, x-request-id, retry-after, deprecation, sunset'
const PREFLIGHT_SECONDS = '600'

export function corsRoutes(app: FastifyInstance, deployment: Deployment): void {
  const origins = deployment.cors?.origins
  if (origins === undefined) return
  const path = deployment.basePath + SCORING_PATH
  for (const url of [path, `${path}/*`]) {
    app.options(url, (request, reply) => {
      if (allow(request, reply, origins)) {
        reply.header('access-control-allow-methods', 'GET, POST')
        reply.header('access-control-allow-headers', REQUEST_HEADERS)
        reply.header('access-control-max-age', PREFLIGHT_SECONDS)
      }
      return reply.code(204).send()
    })
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { url = '' } = request.routeOptions
    if (url === path || url.startsWith(`${path}/`)) allow(request, reply, origins)
    done()
  })
}

/** For an exchange that fastify does not see. */
export function allowOrigin(exchange: Asked & Told, { cors }: Deployment): void {
  if (cors !== undefined) allow(exchange, exchange, cors.origins)
}

/** Names the origin in the answer when the deployment lets it in. Keys are never sent by the browser on its own. */
function allow(request: Asked, reply: Told, origins: readonly string[]): boolean {
  reply.header('vary', 'origin')
  const { origin } = request.raw.headers
  if (origin === undefined || !origins.includes(origin)) return false
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-expose-headers', ANSWER_HEADERS)
  // A page of another origin may read this answer, so it may also embed it.
  reply.header('cross-origin-resource-policy', 'cross-origin')
  return true
}
