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

async function isReachable(service: Service): Promise<boolean> {
  try {
    await service.store.findKey('')
    return true
  } catch {
    return false
  }
}
