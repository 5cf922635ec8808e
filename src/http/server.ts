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
import type { StoredKey } from '../store/store.ts'
import { answerClientError } from './client-error.ts'
import { describeBug } from './log.ts'
import { problemAnswer } from './problem.ts'
import { refuseAmbiguous } from './refuse-ambiguous.ts'
import { type RequestId, requestIdFor } from './request-id.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { docsRoutes } from './routes/docs.ts'
import { healthRoutes } from './routes/health.ts'
import { SCORING_PATH, scoringRoutes } from './routes/scoring.ts'
import { type Trace, recordBeforeSending } from './record-audit.ts'
import { type Service, type ServiceParts, assembleService } from './service.ts'

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

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 65_000
const CHECK_INTERVAL_MS = 1_000

export async function createServer(parts: ServiceParts): Promise<FastifyInstance> {
  const service = assembleService(parts)
  const app = Fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      begin(request)
      fail(service, error, request, reply)
    },
    bodyLimit: Math.max(...service.deployments.map(({ limits }) => limits.bytes)),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )

  app.addHook('onRequest', (request, reply, done) => {
    begin(request)
    reply.header('x-request-id', request.requestId.shown)
    reply.header('x-content-type-options', 'nosniff')
    done(refuseAmbiguous(request.raw.rawHeaders))
  })
  app.addHook('onSend', (request, reply, payload) => recordBeforeSending(service, request, reply, payload))
  app.addHook('onResponse', (request, reply, done) => {
    service.log.info({
      event: 'request',
      requestId: request.requestId.logged,
      method: request.method,
      // The pattern of the route, not the address: a caller may write anything into an address.
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      durationMs: Math.round((performance.now() - request.startedAt) * 1000) / 1000,
      ...request.facts,
    })
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
    scoringRoutes(app, service, deployment)
    discoveryRoutes(app, service, deployment)
  }
  healthRoutes(app, service)
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
  // A body that was not read stands between this answer and the next request on the connection.
  if (!request.raw.complete) reply.header('connection', 'close')
  reply.code(status).headers(headers).send(body)
}

function toAppError(error: Error): AppError {
  if (error instanceof AppError) return error
  const code = FRAMEWORK_CODES[(error as FastifyError).code]
  return new AppError(code ?? 'INTERNAL')
}
