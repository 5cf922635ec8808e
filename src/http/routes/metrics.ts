/** Figures for Prometheus: for this machine and for admin keys, unless the configuration opens them. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ServerSettings } from '../../server-settings.ts'
import { authenticateAdmin } from '../authenticate.ts'
import type { Figures } from '../figures.ts'
import type { Service } from '../service.ts'

const LOOPBACK = /^(::ffff:)?127\.|^::1$/
/** Signs that a request came through a proxy, which may itself run on this machine. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip']

export function metricsRoutes(
  app: FastifyInstance,
  service: Service,
  figures: Figures,
  access: ServerSettings['metrics'],
): void {
  app.get(
    '/metrics',
    {
      onRequest: async (request, reply) => {
        if (access === 'local' && !isFromHere(request)) await authenticateAdmin(request, reply, service)
      },
    },
    async (_request, reply) => reply.type(figures.registry.contentType).send(await figures.print()),
  )
}

function isFromHere(request: FastifyRequest): boolean {
  const address = request.raw.socket.remoteAddress ?? ''
  return LOOPBACK.test(address) && FORWARDED.every((name) => request.headers[name] === undefined)
}
