/**
 * Every address of the service in one server: the scoring calls walk through doors of their own, all else through
 * fastify, in the same stages: name it, look at its headers, check its key, answer it, record it, send it, log it.
 */
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { AppError } from '../errors.ts'
import { DEFAULT_SERVER_SETTINGS } from '../server-settings.ts'
import type { Trace } from './request/request-context.ts'
import { BufferPool } from '../workers/buffer-pool.ts'
import { Connections } from './connection/connections.ts'
import { corsRoutes } from './request/cors.ts'
import { toAppError } from './request/fail.ts'
import { Figures } from '../metrics/metrics.ts'
import { guardRoutes } from './request/guard-routes.ts'
import { Guards, canGoOn } from './connection/guards.ts'
import type { Lifecycle } from './connection/lifecycle.ts'
import type { StoredKey } from '../store/store.ts'
import { makeServer } from './connection/node-server.ts'
import { noteExchange } from './audit/note-exchange.ts'
import { problemAnswer } from './request/problem.ts'
import { ownPath } from './request/refuse-framing.ts'
import { type RequestId, requestIdFor } from './request/request-id.ts'
import { adminAuditRoutes } from './routes/admin-audit.ts'
import { adminRoutes } from './routes/admin.ts'
import { deploymentsRoute } from './routes/deployments.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { docsRoutes } from './routes/docs.ts'
import { healthRoutes } from './routes/health.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { workbenchRoutes } from './routes/workbench.ts'
import { HEADERS_OF_THE_ANSWER, recordOrReplace } from './audit/record-audit.ts'
import { Doors } from './scoring/scoring-routes.ts'
import { SCORING_PATH } from './scoring/path.ts'
import { type Service, type ServiceParts, assembleService } from './service.ts'
import { SECURITY_HEADERS } from './request/security-headers.ts'
import { timed } from '../metrics/timed-store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    lifecycle: Lifecycle
  }
  interface FastifyRequest {
    requestId: RequestId
    startedAt: number
    /** What the log may say of the answer. */
    facts: Record<string, string | number>
    /** The key that was shown; set once it is checked. */
    caller: StoredKey
    /** What the audit will say of the answer. */
    trace: Trace
  }
  interface FastifyContextConfig {
    /** Calls that are audited, whatever their answer, and the deployment that they belong to. */
    audited?: Pick<Trace, 'call' | 'deployment'>
  }
}

export async function createServer(parts: ServiceParts): Promise<FastifyInstance> {
  const settings = parts.settings ?? DEFAULT_SERVER_SETTINGS
  const figures = new Figures(parts.catalog.domains.keys())
  const store = timed(parts.store, (...words) => figures.timeStore(...words))
  const service = assembleService({ ...parts, store })
  const guards = new Guards(settings)
  const connections = new Connections(settings, service.proxies)
  const doors = new Doors({ service, guards, figures, connections, pool: new BufferPool() }, settings.origins)
  figures.watch(guards.load, connections)
  figures.watchDrift(service.drift)
  service.peers?.offer(() => figures.snapshot())
  const app = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    serverFactory: (handler) =>
      makeServer(
        (message, response) => {
          const door = doors.find(message)
          if (door === undefined) handler(message, response)
          else door.enter(message, response)
        },
        settings,
        connections,
      ),
    // Fastify would answer these a second time: the server has its own handler.
    clientErrorHandler: () => undefined,
    rewriteUrl: (message) => ownPath(message, settings.origins),
    frameworkErrors: (error, request, reply) => {
      begin(request)
      // No hook is run for these.
      reply.raw.once('close', () => connections.answered(request.raw))
      reply.headers(SECURITY_HEADERS)
      fail(service, error, request, reply)
    },
  })

  app.addHook('onRequest', (request, reply, done) => {
    begin(request)
    reply.header('x-request-id', request.requestId.shown)
    done()
  })
  app.decorate('lifecycle', guards.lifecycle)
  guardRoutes(app, guards, connections)
  app.addHook('onSend', (request, reply, payload) => record(service, request, reply, payload))
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    noteExchange(service, figures, request, request.method, route, reply.statusCode)
    done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) => fail(service, error, request, reply))

  const methods = new Map(doors.paths.map((path) => [path, new Set(['POST'])]))
  app.addHook('onRoute', ({ method, url }) => {
    const known = methods.get(url) ?? new Set<string>()
    methods.set(url, known)
    for (const each of [method].flat()) known.add(each)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    request.trace = { ...request.trace, ...unknownCall(service, path) }
    const allowed = methods.get(path)
    if (allowed === undefined) {
      fail(service, new AppError('NOT_FOUND'), request, reply)
      return
    }
    reply.header('allow', [...allowed].sort().join(', '))
    fail(service, new AppError('METHOD_NOT_ALLOWED'), request, reply)
  })

  for (const deployment of service.deployments) {
    corsRoutes(app, deployment)
    discoveryRoutes(app, service, deployment)
  }
  adminRoutes(app, service)
  adminAuditRoutes(app, service)
  deploymentsRoute(app, service)
  healthRoutes(app, service)
  metricsRoutes(app, service, figures, settings.metrics)
  workbenchRoutes(app)
  await docsRoutes(app, service)
  return app
}

function begin(request: FastifyRequest): void {
  request.requestId = requestIdFor(request.headers['x-request-id'])
  request.startedAt = performance.now()
  request.facts = {}
  request.trace = { keyId: null, ...request.routeOptions.config.audited }
}

/** An address that no call has is audited where it lies below a deployment's. */
function unknownCall(service: Service, path: string): Pick<Trace, 'call' | 'deployment'> {
  const deployment = service.deployments.find(({ basePath }) => path.startsWith(basePath + SCORING_PATH))
  return deployment === undefined ? {} : { call: 'unknown', deployment }
}

function fail(service: Service, error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const appError = toAppError(service, error, request.requestId)
  request.facts['code'] = appError.code
  const { status, headers, body } = problemAnswer(appError, request.requestId.shown)
  if (!canGoOn(request.raw, appError)) reply.header('connection', 'close')
  reply.code(status).headers(headers).send(body)
}

/** The last stage before the bytes of a route: records the answer, or puts a refusal in its place. */
async function record(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (request.trace.call === undefined) return payload
  const answer = payload as Uint8Array | string | undefined
  const instead = await recordOrReplace(service, request, reply.statusCode, request.body, answer)
  if (instead === undefined) return payload
  for (const name of HEADERS_OF_THE_ANSWER) reply.removeHeader(name)
  reply.code(instead.status).headers(instead.headers)
  return instead.body
}
