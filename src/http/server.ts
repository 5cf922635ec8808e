/** Every address of the service in one fastify instance. `hooks.ts` lists the stages of a request. */
import Fastify, { type FastifyInstance } from 'fastify'
import { Metrics, timed } from '../metrics/metrics.ts'
import { makeServer } from './connection/node-server.ts'
import type { Lifecycle } from './connection/lifecycle.ts'
import { addRequestHooks } from './hooks.ts'
import { docsRoutes } from './openapi/document.ts'
import { routedPath } from './request/framing.ts'
import { answerClientError } from './request/problem.ts'
import { adminRoutes } from './routes/admin.ts'
import { deploymentsRoute, discoveryRoutes } from './routes/discovery.ts'
import { healthRoutes, metricsRoutes } from './routes/probes.ts'
import { scoringRoutes } from './routes/scoring.ts'
import { workbenchRoutes } from './routes/workbench.ts'
import { type ServiceParts, assembleService } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    lifecycle: Lifecycle
  }
}

/** Longer than any request line: a long parameter is an unknown name, not another kind of error. */
const MAX_PARAM_LENGTH = 16_384

export async function createServer(parts: ServiceParts): Promise<FastifyInstance> {
  const metrics = new Metrics(parts.catalog.domains.keys())
  const store = timed(parts.store, (...measured) => metrics.timeStore(...measured))
  const service = assembleService({ ...parts, store })
  const { settings, connections, lifecycle, load, pace } = service
  metrics.watch(load, connections, service.drift)
  service.peers?.offer(() => metrics.snapshot())
  const app = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    serverFactory: (request) => makeServer(request, answerClientError, settings, connections),
    // The server has its own handler; fastify must not answer a second time.
    clientErrorHandler: () => undefined,
    rewriteUrl: (message) => routedPath(message, settings.origins),
  })
  app.decorate('lifecycle', lifecycle)
  app.addHook('onClose', (_instance, done) => {
    load.stop()
    pace.stop()
    done()
  })
  addRequestHooks(app, service, metrics)
  for (const deployment of service.deployments) {
    scoringRoutes(app, service, deployment)
    discoveryRoutes(app, service, deployment)
  }
  adminRoutes(app, service)
  deploymentsRoute(app, service)
  healthRoutes(app, service)
  metricsRoutes(app, service, metrics)
  workbenchRoutes(app)
  await docsRoutes(app, service, parts.adapters?.(app, service))
  return app
}
