/**
 * Probes: whether the process is alive, and whether it is ready for work. Metrics for Prometheus, for this machine and for admin
 * keys, unless the configuration opens them.
 */
import type { FastifyInstance } from 'fastify'
import { AppError } from '@patient-risk/runtime'
import { reachOf } from '../../store/keys/keys.ts'
import { LAYOUT } from '../../store/layout.ts'
import { admit } from '../request/authenticate.ts'
import type { Service } from '../service.ts'

export function healthRoutes(app: FastifyInstance, service: Service): void {
  app.get('/health/live', (_request, reply) => reply.send({ status: 'live' }))
  app.get('/health/ready', async (_request, reply) => {
    const store = await isReachable(service)
    const deployments = service.deployments.map(({ name, model }) => ({
      name,
      model: `${model.definition.id}@${model.definition.version}`,
      ready: model.selfCheckFailures.length === 0,
    }))
    const isReady = app.lifecycle.state === 'serving' && store && deployments.every(({ ready }) => ready)
    return reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not ready', store, storeLayout: LAYOUT, deployments })
  })
}

/** Whether keys can be read and audit rows appended. The reason why not goes into the log. */
async function isReachable({ store, log }: Service): Promise<boolean> {
  try {
    await store.findKey('')
    const reason = await store.health()
    if (reason === undefined) return true
    log.error({ event: 'audit-not-writable', reason })
    return false
  } catch {
    return false
  }
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/
/** Headers of a request that came through a proxy, which may itself run on this machine. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip']

export function metricsRoutes(app: FastifyInstance, service: Service): void {
  const { metrics, settings } = service
  const isOpen = settings.metrics === 'open'
  app.get(
    '/metrics',
    {
      onRequest: async (request, reply) => {
        const isLocal = LOOPBACK.test(request.raw.socket.remoteAddress ?? '')
        const isForwarded = FORWARDED.some((name) => request.headers[name] !== undefined)
        if (isOpen || (isLocal && !isForwarded)) return
        const key = await admit(service, request.context, reply, 'admin')
        // The figures are of all deployments.
        if (reachOf(key) !== 'all') throw new AppError('KEY_SCOPE')
      },
    },
    async (_request, reply) => {
      const all = await service.peers?.collect().catch(() => {
        // The metrics of one process instead of all would look like counters that jump, so none are given.
        throw new AppError('OVERLOADED')
      })
      return reply.type(metrics.registry.contentType).send(await metrics.print(all))
    },
  )
}
