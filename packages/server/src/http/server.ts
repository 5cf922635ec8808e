/** Every address of the service in one fastify instance. `hooks.ts` lists the stages of a request. */
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Lifecycle } from './connection/lifecycle.ts'
import { addRequestHooks } from './hooks.ts'
import { docsRoutes } from './openapi/document.ts'
import { countsOfAll } from '@patient-risk/monitor'
import { pathRouter } from './request/framing.ts'
import { answerClientError } from './request/problem.ts'
import { openJobs } from './jobs/jobs.ts'
import { adminRoutes } from './routes/admin.ts'
import { outcomeRoutes } from './routes/outcomes.ts'
import { deploymentsRoute, discoveryRoutes } from './routes/discovery.ts'
import { jobRoutes } from './routes/jobs.ts'
import { healthRoutes, metricsRoutes } from './routes/probes.ts'
import { scoringRoutes } from './routes/scoring.ts'
import { languageRoutes } from './routes/languages.ts'
import { workbenchRoutes } from './routes/workbench.ts'
import type { OutcomeSchedule } from './scoring/outcome-schedule.ts'
import { type Service, type ServiceParts, assembleService } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    lifecycle: Lifecycle
    outcomeSchedule: OutcomeSchedule
  }
}

/** Longer than any request line: a long parameter is an unknown name, not another kind of error. */
const MAX_PARAM_LENGTH = 16_384
/** How often Node looks for headers that are late. */
const CHECK_EVERY_MS = 1_000

export async function createServer(parts: ServiceParts): Promise<FastifyInstance> {
  const service = assembleService(parts)
  const { connections, lifecycle, load, metrics, pace } = service
  metrics.watch(load, connections, service.drift, service.deployments)
  service.peers?.offer(async () => ({ ...(await metrics.snapshot()), shadow: countsOfAll(service.shadows) }))
  const app = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    serverFactory: (request) => makeServer(request, service),
    // The server has its own handler; fastify must not answer a second time.
    clientErrorHandler: () => undefined,
    rewriteUrl: pathRouter(service.settings.origins),
  })
  app.decorate('lifecycle', lifecycle)
  app.decorate('outcomeSchedule', service.outcomeSchedule)
  app.addHook('onClose', (_instance, done) => {
    load.stop()
    service.outcomeSchedule.stop()
    pace.stop()
    done()
  })
  addRequestHooks(app, service)
  const jobs = service.jobs && (await openJobs(service, service.jobs))
  app.addHook('onClose', () => jobs?.worker.stop())
  for (const deployment of service.deployments) {
    scoringRoutes(app, service, deployment, jobs)
    if (jobs !== undefined) jobRoutes(app, service, jobs, deployment)
    discoveryRoutes(app, service, deployment)
    outcomeRoutes(app, service, deployment)
  }
  adminRoutes(app, service)
  deploymentsRoute(app, service)
  healthRoutes(app, service)
  metricsRoutes(app, service)
  workbenchRoutes(app, service)
  languageRoutes(app, service)
  parts.adapters?.(app, service)
  await docsRoutes(app, service)
  // The first answer shows the alarms that were open before the start.
  await service.alarms.refresh()
  jobs?.worker.start()
  return app
}

/** The HTTP server of Node, with its time limits, and with handlers for what Node would answer by itself. */
function makeServer(
  request: (message: IncomingMessage, response: ServerResponse) => void,
  { settings: { times }, connections }: Service,
): Server {
  const server = http.createServer(
    {
      headersTimeout: times.headersMs,
      // The pace of a body is checked elsewhere: a stream may take longer than one request.
      requestTimeout: 0,
      keepAliveTimeout: times.idleMs,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      // Refused by our own check, with a problem body.
      requireHostHeader: false,
    },
    request,
  )
  // A caller that has closed its sending side still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.setTimeout(times.stallMs)
  server.on('clientError', answerClientError)
  server.on('connect', (_message: IncomingMessage, socket: Socket) =>
    answerClientError(new Error('CONNECT is not served.'), socket),
  )
  // `100 Continue` is sent after the key check, not before.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (...args: unknown[]) => server.emit('request', ...args))
  connections.attach(server)
  return server
}
