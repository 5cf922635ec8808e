/**
 * The life of a request: name it, look at its headers, check its key, read its body, answer it, record it, send it, log it.
 * Each stage stands here once, in its order.
 */
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { AppError, type ErrorCode } from '../errors.ts'
import { DEFAULT_SERVER_SETTINGS } from '../server-settings.ts'
import { Connections } from './connections.ts'
import { corsRoutes } from './cors.ts'
import { Figures } from './figures.ts'
import { installGuards } from './guards.ts'
import type { StoredKey } from '../store/store.ts'
import { describeBug } from './log.ts'
import { isWaiting, makeServer } from './make-server.ts'
import { problemAnswer } from './problem.ts'
import { ownPath } from './refuse-framing.ts'
import { type RequestId, requestIdFor } from './request-id.ts'
import { adminAuditRoutes } from './routes/admin-audit.ts'
import { adminRoutes } from './routes/admin.ts'
import { deploymentsRoute } from './routes/deployments.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { docsRoutes } from './routes/docs.ts'
import { healthRoutes } from './routes/health.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { SCORING_PATH, scoringRoutes } from './routes/scoring.ts'
import { workbenchRoutes } from './routes/workbench.ts'
import { type Trace, recordBeforeSending } from './record-audit.ts'
import { type Service, type ServiceParts, assembleService } from './service.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { timed } from './timed-store.ts'

declare module 'fastify' {
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

/** Bodies up to this size are read to their end after a refusal, so that the connection can be used again. */
const READ_ON_BYTES = 1_048_576

export async function createServer(parts: ServiceParts): Promise<FastifyInstance> {
  const settings = parts.settings ?? DEFAULT_SERVER_SETTINGS
  const figures = new Figures(parts.catalog.domains.keys())
  const store = timed(parts.store, (...words) => figures.timeStore(...words))
  const service = assembleService({ ...parts, store })
  const connections = new Connections(settings)
  const app = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    serverFactory: (handler) => makeServer(handler, settings, connections),
    // Fastify would answer these a second time: the server has its own handler.
    clientErrorHandler: () => undefined,
    rewriteUrl: (message) => ownPath(message, settings.origins),
    frameworkErrors: (error, request, reply) => {
      begin(request)
      reply.headers(SECURITY_HEADERS)
      fail(service, error, request, reply)
    },
    bodyLimit: Math.max(...service.deployments.map(({ limits }) => limits.bytes)),
  })

  app.addHook('onRequest', (request, reply, done) => {
    begin(request)
    reply.header('x-request-id', request.requestId.shown)
    done()
  })
  const load = installGuards(app, settings)
  figures.watch(load, connections)
  figures.watchDrift(service.drift)
  app.addHook('onSend', (request, reply, payload) => recordBeforeSending(service, request, reply, payload))
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const durationMs = Math.round((performance.now() - request.startedAt) * 1000) / 1000
    service.log.info({
      event: 'request',
      requestId: request.requestId.logged,
      method: request.method,
      // The pattern of the route, not the address: a caller may write anything into an address.
      route,
      status: reply.statusCode,
      durationMs,
      ...request.facts,
    })
    const deployment = String(request.facts['deployment'] ?? 'none')
    const code = String(request.facts['code'] ?? '')
    figures.countExchange({
      deployment,
      route,
      method: request.method,
      status: reply.statusCode,
      code,
      seconds: durationMs / 1000,
    })
    const { tally } = request.trace
    if (tally !== undefined) figures.countRecords(deployment, tally)
    if ((tally?.uncomputable ?? 0) > 0) {
      const { logged } = request.requestId
      service.log.error({
        event: 'risk-not-computable',
        requestId: logged,
        deployment,
        records: tally?.uncomputable ?? 0,
      })
    }
    done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) => fail(service, error, request, reply))

  const methods = new Map<string, Set<string>>()
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
    scoringRoutes(app, service, deployment)
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

/** What fastify refuses by itself, in our codes. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'REQUEST_INVALID',
  FST_ERR_BAD_URL: 'REQUEST_INVALID',
  FST_ERR_ASYNC_CONSTRAINT: 'REQUEST_INVALID',
}

function fail(service: Service, error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const appError = toAppError(error)
  if (appError.code === 'INTERNAL') {
    service.log.error({ event: 'bug', requestId: request.requestId.logged, ...describeBug(error) })
  }
  request.facts['code'] = appError.code
  const { status, headers, body } = problemAnswer(appError, request.requestId.shown)
  if (!canGoOn(request, appError)) reply.header('connection', 'close')
  reply.code(status).headers(headers).send(body)
}

/** A body that was not read stands between this answer and the next request; a small one is read and forgotten. */
function canGoOn({ raw }: FastifyRequest, { code }: AppError): boolean {
  if (raw.complete) return true
  if (code === 'REQUEST_INVALID' || code === 'BODY_TOO_SLOW' || isWaiting(raw)) return false
  const length = Number(raw.headers['content-length'] ?? Infinity)
  return length <= READ_ON_BYTES
}

function toAppError(error: Error): AppError {
  if (error instanceof AppError) return error
  const code = FRAMEWORK_CODES[(error as FastifyError).code]
  return new AppError(code ?? 'INTERNAL')
}
