/** Metrics for Prometheus, for this machine and for admin keys, unless the configuration opens them. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { reachOf } from '../../store/keys/key-rules.ts'
import type { Service } from '../service.ts'
import type { Peers } from '../../metrics/snapshot.ts'

const LOOPBACK = /^(::ffff:)?127\.|^::1$/
/** Headers of a request that came through a proxy, which may itself run on this machine. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip']

export function metricsRoutes(app: FastifyInstance, service: Service, metrics: Metrics): void {
  const isOpen = service.settings.metrics === 'open'
  app.get(
    '/metrics',
    {
      onRequest: async (request, reply) => {
        if (isOpen || isFromHere(request)) return
        const key = await service.authenticator.admit(request.context, reply, 'admin')
        // The figures are of all deployments.
        if (reachOf(key) !== 'all') throw new AppError('KEY_SCOPE')
      },
    },
    async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await print(metrics, service.peers)),
  )
}

/** The metrics of one process instead of all would look like counters that jump, so they are refused in that case. */
async function print(metrics: Metrics, peers: Peers | undefined): Promise<string> {
  if (peers === undefined) return metrics.print()
  const all = await peers.collect().catch(() => undefined)
  if (all === undefined) throw new AppError('OVERLOADED')
  return metrics.printAll(all)
}

function isFromHere(request: FastifyRequest): boolean {
  const address = request.raw.socket.remoteAddress ?? ''
  return LOOPBACK.test(address) && FORWARDED.every((name) => request.headers[name] === undefined)
}
