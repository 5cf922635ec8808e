/**
 * What happens to every request, in this order: begin, check framing and load, check the key, count the request, answer it
 * (the handler of its route), record it, send it, log it. Routes declare what they need in their `config`.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SCORING_PATH } from '@patient-risk/catalog'
import { AppError } from '@patient-risk/runtime'
import { admit, admitFromCache } from './request/authenticate.ts'
import { hasBody, refuseFraming } from './request/framing.ts'
import { refusalAnswer, toAppError } from './request/problem.ts'
import { writeLimits } from './request/quota.ts'
import { prefersLater } from './request/prefer.ts'
import { mediaType } from './request/read-body.ts'
import { RequestContext, type RouteConfig } from './request/request-context.ts'
import { DATA_HEADERS, PAGE_HEADERS, allowOrigin } from './request/response-headers.ts'
import type { Service } from './service.ts'

/** Probes and metrics are answered whatever the load. */
const PROBES = /^\/(health\/|metrics$)/
const ADMIN_PATH = '/admin'
/** Headers of an answer that must not remain when a refusal replaces it. */
const ANSWER_HEADERS = [
  'risk-model',
  'risk-model-digest',
  'risk-deployment-digest',
  'risk-mapping-digest',
  'etag',
  'www-authenticate',
] as const

export function addRequestHooks(app: FastifyInstance, service: Service): void {
  // Handlers read bodies themselves, within their limits.
  for (const method of app.supportedMethods) app.addHttpMethod(method, { overrideExisting: true })
  app.decorateRequest('context')
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, url, originalUrl } = request
    const context = begin(service, request, reply)
    refuseFraming(raw, url, originalUrl)
    const isProbe = PROBES.test(url)
    if (!isProbe && service.lifecycle.state === 'draining') throw new AppError('DRAINING')
    if (!isProbe && service.load.isLate()) throw new AppError('OVERLOADED')
    const goOn = (): void => {
      // A request with a body counts from the end of its body.
      if (context.arriving === undefined && !isProbe) service.load.begin(context)
      done()
    }
    const waiting = admitCaller(service, context, reply)
    if (waiting === undefined) goOn()
    else waiting.then(goOn).catch(done)
  })
  app.addHook('onSend', (request, reply, payload) => record(service, request.context, reply, payload))
  app.setErrorHandler((error: FastifyError, { context }, reply) => fail(service, error, context, reply))
  answerUnknown(app)
}

function begin(service: Service, request: FastifyRequest, reply: FastifyReply): RequestContext {
  const { raw } = request
  const { seal, lifecycle, pace } = service
  const { url, config: ofRoute } = request.routeOptions
  const config = request.is404 ? unknownCall(service, request.originalUrl) : ofRoute
  const context = new RequestContext(raw, reply.raw, url, config, seal)
  const { deployment, isCounted } = config
  request.context = context
  reply.headers(isCounted === true ? DATA_HEADERS : PAGE_HEADERS)
  reply.header('x-request-id', context.id.shown)
  if (deployment?.cors !== undefined) allowOrigin(raw, reply, deployment.cors)
  if (hasBody(raw)) {
    const isLater = service.jobs !== undefined && config.call === 'score' && prefersLater(raw)
    const isLines = mediaType(raw.headers['content-type']).endsWith('ndjson')
    const isStream = isLines || config.isStreamed === true || isLater
    context.arriving = pace.watchBody(raw, isStream)
  }
  lifecycle.openRequests++
  return context
}

/** Checks the key and counts the request. Returns a promise only where the store must be asked: most keys and limits are at hand. */
function admitCaller(
  service: Service,
  context: RequestContext,
  reply: FastifyReply,
): Promise<void> | undefined {
  const { access, isCounted } = context.config
  if (access === undefined) return undefined
  // Routes with a check of their own, as for signed tokens, count their requests after it.
  const count = (): Promise<void> | undefined =>
    isCounted === true ? service.quota.takeRequest(context, reply) : undefined
  if (admitFromCache(service, context, access)) return count()
  return admit(service, context, reply, access).then(count)
}

/** The last step before the bytes leave: records the answer, or replaces it with a refusal. */
async function record(
  service: Service,
  context: RequestContext,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const { recorder, lifecycle, buffers } = service
  // Also for a request that came before the stop: its connection must not outlive its answer.
  if (lifecycle.state === 'draining') reply.header('connection', 'close')
  writeLimits(context, reply)
  let answer = payload
  if (context.call !== undefined) {
    const bytes = payload as Uint8Array | string | undefined
    if (!(await recorder.record(context, reply.statusCode, bytes))) {
      context.noteRefusal('AUDIT_UNAVAILABLE')
      const { status, headers, body } = refusalAnswer(new AppError('AUDIT_UNAVAILABLE'), context)
      for (const name of ANSWER_HEADERS) reply.removeHeader(name)
      reply.code(status).headers(headers)
      answer = body
    }
  }
  if (context.response.destroyed) context.ended = 'hung up'
  if (context.pooledBody !== undefined) buffers.give(context.pooledBody.buffer)
  context.pooledBody = undefined
  recorder.finish(context)
  return answer
}

function fail(service: Service, error: Error, context: RequestContext, reply: FastifyReply): void {
  const appError = toAppError(error, service.log, context.id)
  const { code } = appError
  context.noteRefusal(code)
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

/** The address with parameters, such as `/jobs/:id`, that a path is one of. */
function withParameters(addresses: readonly string[], path: string): string | undefined {
  const parts = path.split('/')
  const isPart = (known: string, place: number): boolean => known.startsWith(':') || known === parts[place]
  return addresses.find((address) => {
    const known = address.split('/')
    return address.includes('/:') && known.length === parts.length && known.every(isPart)
  })
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
    const [path = ''] = url.split('?')
    const allowed = methods.get(path) ?? methods.get(withParameters([...methods.keys()], path) ?? '')
    if (allowed === undefined) throw new AppError('NOT_FOUND')
    reply.header('allow', [...allowed].sort().join(', '))
    throw new AppError('METHOD_NOT_ALLOWED')
  })
}
