/** Preflight requests of web pages of other origins, for deployments that allow some. */
import type { FastifyInstance } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { allowOrigin } from '../request/response-headers.ts'
import { SCORING_PATH } from '../scoring/path.ts'

const REQUEST_HEADERS = 'authorization, content-type, content-encoding, x-request-id'
const PREFLIGHT_SECONDS = '600'

export function corsRoutes(app: FastifyInstance, deployment: Deployment): void {
  if (deployment.cors === undefined) return
  const path = deployment.basePath + SCORING_PATH
  for (const url of [path, `${path}/*`]) {
    app.options(url, (request, reply) => {
      if (allowOrigin(request.raw, reply, deployment)) {
        reply.header('access-control-allow-methods', 'GET, POST')
        reply.header('access-control-allow-headers', REQUEST_HEADERS)
        reply.header('access-control-max-age', PREFLIGHT_SECONDS)
      }
      return reply.code(204).send()
    })
  }
}
