/**
 * What happens to every request, in this order: begin, check framing and load, check the key, count the request, answer it
 * (the handler of its route), record it, send it, log it. Routes declare what they need in their `config`.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SCORING_PATH } from '../catalog/deployment.ts'
import { AppError } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { admit } from './request/authenticate.ts'
import { hasBody, refuseFraming } from './request/framing.ts'
import { refusalAnswer, toAppError } from './request/problem.ts'
import { mediaType } from './request/read-body.ts'
import { RequestContext, type RouteConfig } from './request/request-context.ts'
import { DATA_HEADERS, PAGE_HEADERS, allowOrigin } from './request/response-headers.ts'
import type { Service } from './service.ts'

/** Probes and metrics are answered whatever the load. */
const PROBES = /^\/(health\/|metrics$)/
const ADMIN_PATH = '/admin'
/** Headers of an answer that must not remain when a refusal replaces it. */
const ANSWER_HEADERS = ['risk-model', 'risk-model-digest', 'www-authenticate'] as const

export function addRequestHooks(app: FastifyInstance, service: Service, metrics: Metrics): void {
  // Handlers read bodies themselves, within their limits.
  for (const method of app.supportedMethods) app.addHttpMethod(method, { overrideExisting: true })
  app.decorateRequest('context')
  const onFinish = (context: RequestContext): void => {
    service.lifecycle.openRequests--
    // The request is over when its answer has left, or its caller has hung up. An event, not a promise: promises that wait for
    // the end of a request keep it in memory until a full garbage collection.
    if (context.response.closed) end(service, metrics, context)
    else context.response.once('close', () => end(service, metrics, context))
  }
  app.addHook('onRequest', async (request, reply) => {
    const { raw, url, originalUrl } = request
    const context = begin(service, request, reply, onFinish)
    refuseFraming(raw, url, originalUrl)
    const isProbe = PROBES.test(url)
    if (!isProbe && service.lifecycle.state === 'draining') throw new AppError('DRAINING')
    if (!isProbe && service.load.isLate()) throw new AppError('OVERLOADED')
    const { access, isCounted } = context.config
    if (access !== undefined) {
      await admit(service, context, reply, access)
      // Routes with a check of their own, as for signed tokens, count their requests after it.
      if (isCounted === true) await service.quota.takeRequest(context, reply)
    }
    // A request with a body counts from the end of its body.
    if (context.arriving === undefined && !isProbe) context.beginWork()
  })
  app.addHook('onSend', (request, reply, payload) => record(service, request.context, reply, payload))
  app.setErrorHandler((error: FastifyError, { context }, reply) => fail(service, error, context, reply))
  answerUnknown(app)
}

function begin(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  onFinish: (context: RequestContext) => void,
): RequestContext {
  const { raw } = request
  const { load, seal, lifecycle, pace } = service
  const { url, config: ofRoute } = request.routeOptions
  const config = request.is404 ? unknownCall(service, request.originalUrl) : ofRoute
  const context = new RequestContext(raw, reply.raw, url, config, load, seal, onFinish)
  const { deployment, isCounted } = config
  request.context = context
  reply.headers(isCounted === true ? DATA_HEADERS : PAGE_HEADERS)
  reply.header('x-request-id', context.id.shown)
  allowOrigin(raw, reply, deployment?.cors)
  if (hasBody(raw)) {
    const isStream = mediaType(raw.headers['content-type'])?.endsWith('ndjson') === true
    context.arriving = pace.watchBody(raw, isStream)
  }
  lifecycle.openRequests++
  return context
}

/** The last step before the bytes leave: records the answer, or replaces it with a refusal. */
async function record(
  { audit, lifecycle, buffers }: Service,
  context: RequestContext,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  // Also for a request that came before the stop: its connection must not outlive its answer.
  if (lifecycle.state === 'draining') reply.header('connection', 'close')
  let answer = payload
  if (context.call !== undefined) {
    const bytes = payload as Uint8Array | string | undefined
    if (!(await audit.record(context, reply.statusCode, bytes))) {
      context.code = 'AUDIT_UNAVAILABLE'
      context.tally = undefined
      const { status, headers, body } = refusalAnswer(new AppError('AUDIT_UNAVAILABLE'), context)
      for (const name of ANSWER_HEADERS) reply.removeHeader(name)
      reply.code(status).headers(headers)
      answer = body
    }
  }
  if (context.response.destroyed) context.ended = 'hung up'
  // The body is not needed any more.
  if (context.body !== undefined) buffers.give(context.body.buffer)
  context.body = undefined
  context.finish()
  return answer
}

/** The one place where a request ends: its answer is recorded, and has left or its caller has hung up. */
function end({ log, connections }: Service, metrics: Metrics, context: RequestContext): void {
  const { raw, response, id, route, deployment, key, tally, code, ended, durationMs } = context
  context.release()
  connections.answered(raw)
  const method = raw.method ?? ''
  const status = response.statusCode
  log.info({
    event: 'request',
    requestId: id.logged,
    method,
    route,
    status,
    durationMs,
    deployment: deployment?.name,
    key: key?.id,
    records: tally?.records,
    scored: tally?.scored,
    ended,
    code,
  })
  const name = deployment?.name ?? 'none'
  const seconds = durationMs / 1000
  metrics.count({ deployment: name, route, method, status, code: code ?? '', seconds }, tally)
  const uncomputable = tally?.uncomputable ?? 0
  if (uncomputable === 0) return
  log.error({ event: 'risk-not-computable', requestId: id.logged, deployment: name, records: uncomputable })
}

function fail(service: Service, error: Error, context: RequestContext, reply: FastifyReply): void {
  const appError = toAppError(error, service.log, context.id)
  const { code } = appError
  context.code = code
  // They belong to an answer that is not given after all.
  context.tally = undefined
  context.answerDigest = undefined
  const { status, headers, body } = refusalAnswer(appError, context)
  // Whether the connection cannot take another request: it is not clear where the next one would begin.
  const mustClose = code === 'REQUEST_INVALID' || code === 'BODY_TOO_SLOW' || context.awaitsContinue
  // Otherwise the rest of the body is read and discarded: closing at once would reset the connection before the answer is read.
  if (mustClose && !context.raw.complete) reply.header('connection', 'close')
  else context.arriving?.refuse()
  // As bytes: fastify would add a charset to the content type of a text.
  reply.code(status).headers(headers).send(Buffer.from(body))
}

/**
 * An address without a route: only those below a deployment or /admin leave a row in the audit, and those of an adapter are
 * refused in its own form.
 */
function unknownCall({ deployments, refusals }: Service, url: string): RouteConfig {
  const deployment = deployments.find(({ basePath }) => url.startsWith(basePath + SCORING_PATH))
  const isRecorded = deployment !== undefined || url.startsWith(ADMIN_PATH)
  const [path = ''] = url.split('?')
  const [, refusal] = [...refusals].find(([base]) => path === base || path.startsWith(`${base}/`)) ?? []
  return { call: isRecorded ? 'unknown' : undefined, deployment, refusal }
}

/** Addresses without a route, and addresses that do not take the method. */
function answerUnknown(app: FastifyInstance): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ method, url }) => {
    const known = methods.get(url) ?? new Set<string>()
    methods.set(url, known)
    for (const each of [method].flat()) known.add(each)
  })
  app.setNotFoundHandler(({ url }, reply) => {
    const allowed = methods.get(url.split('?')[0] ?? '')
    if (allowed === undefined) throw new AppError('NOT_FOUND')
    reply.header('allow', [...allowed].sort().join(', '))
    throw new AppError('METHOD_NOT_ALLOWED')
  })
}
