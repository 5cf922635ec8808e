/** Figures for Prometheus: for this machine and for admin keys, unless the configuration opens them. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { ServerSettings } from '../../server-settings.ts'
import { authenticateAdmin } from '../request/authenticate.ts'
import type { Figures } from '../../metrics/metrics.ts'
import type { Service } from '../service.ts'
import type { Peers } from '../../metrics/snapshot.ts'

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
    async (_request, reply) =>
      reply.type(figures.registry.contentType).send(await print(figures, service.peers)),
  )
}

/** Figures of one process in place of all would look like counters that jump, so there are then none at all. */
async function print(figures: Figures, peers: Peers | undefined): Promise<string> {
  if (peers === undefined) return figures.print()
  const all = await peers.collect().catch(() => undefined)
  if (all === undefined) throw new AppError('OVERLOADED')
  return figures.printAll(all)
}

function isFromHere(request: FastifyRequest): boolean {
  const address = request.raw.socket.remoteAddress ?? ''
  return LOOPBACK.test(address) && FORWARDED.every((name) => request.headers[name] === undefined)
}
