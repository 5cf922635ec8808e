/** Probes: whether the process is alive, and whether it is ready for work. */
import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'

export function healthRoutes(app: FastifyInstance, service: Service): void {
  app.get('/health/live', (_request, reply) => reply.send({ status: 'live' }))
  app.get('/health/ready', async (_request, reply) => {
    const store = await isReachable(service)
    const deployments = service.deployments.map(({ name, model }) => ({
      name,
      model: `${model.definition.id}@${model.definition.version}`,
      ready: model.trouble.length === 0,
    }))
    const isReady = app.lifecycle.state === 'serving' && store && deployments.every(({ ready }) => ready)
    return reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not ready', store, deployments })
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
