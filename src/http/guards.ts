/** What stands between the network and the stages of a request: framing, pace, load, and the way out. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import type { ServerSettings } from '../server-settings.ts'
import { Lifecycle } from './lifecycle.ts'
import { Load } from './load.ts'
import { letSend } from './make-server.ts'
import { Pace } from './pace.ts'
import { codingOf, readBody } from './read-body.ts'
import { refuseAmbiguous } from './refuse-ambiguous.ts'
import { refuseFraming } from './refuse-framing.ts'
import { LINES_TYPE, LineSource, isLines } from './stream/line-source.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    lifecycle: Lifecycle
  }
  interface FastifyRequest {
    /** Bytes of the body that are held until the answer is done. */
    heldBytes: number
  }
  interface FastifyContextConfig {
    /** The route takes records a line each too, for as long as they keep coming. */
    streams?: boolean
  }
}

/** Answers of at least this size may fill the buffers of a caller who does not read. */
const LARGE_ANSWER_BYTES = 65_536
/** Probes and figures are answered whatever the load. */
const ALWAYS = /^\/(health\/|metrics$)/

export function installGuards(app: FastifyInstance, settings: ServerSettings): Load {
  const lifecycle = new Lifecycle(settings.times)
  const load = new Load(settings.load)
  const pace = new Pace(settings)
  app.decorate('lifecycle', lifecycle)
  app.addHook('onClose', (_instance, done) => {
    pace.stop()
    load.stop()
    done()
  })

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_HEADERS)
    request.heldBytes = 0
    if (hasBody(request.raw)) {
      pace.watchBody(request.raw, isStream(request))
    }
    reply.raw.once('close', () => load.release(request.heldBytes))
    done(refuse(request, lifecycle, load))
  })
  app.addHook('preParsing', (request, reply, _payload, done) => {
    letSend(request.raw, reply.raw)
    done()
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (!ALWAYS.test(request.url)) reply.raw.once('close', load.begin())
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    // Also for a request that came before the stop: its connection must not outlive its answer.
    if (lifecycle.state === 'draining') reply.header('connection', 'close')
    const size = sizeOf(payload)
    // What answers no body is a document of our own, and is in memory anyway.
    if (isStream(request) || size < LARGE_ANSWER_BYTES || !hasBody(request.raw)) {
      done(null, payload)
      return
    }
    pace.watchAnswer(reply.raw)
    const refusal = hold(request, load, size)
    if (refusal === null) done(null, payload)
    else done(refusal)
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request: FastifyRequest, message: IncomingMessage) =>
    readBody(message, codingOf(request.headers['content-encoding']) ?? 'identity', {
      limit: request.routeOptions.bodyLimit,
      hold: (bytes) => {
        const refusal = hold(request, load, bytes)
        if (refusal !== null) throw refusal
      },
      onSlow: (tell) => pace.onSlowBody(request.raw, tell),
    }),
  )
  app.addContentTypeParser(
    LINES_TYPE,
    (request: FastifyRequest, message: IncomingMessage, done: (error: null, source: LineSource) => void) =>
      done(null, new LineSource(message, (tell) => pace.onSlowBody(request.raw, tell))),
  )
  return load
}

function refuse(request: FastifyRequest, lifecycle: Lifecycle, load: Load): AppError | undefined {
  const { raw } = request
  const refusal = refuseFraming(raw, raw.url ?? '') ?? refuseAmbiguous(raw.rawHeaders)
  if (refusal !== undefined || ALWAYS.test(request.url)) return refusal
  if (lifecycle.state === 'draining') return new AppError('DRAINING')
  return load.isLate() ? new AppError('OVERLOADED') : undefined
}

/** Counts bytes that are held for a request until its answer is done; an error when the service holds too many. */
function hold(request: FastifyRequest, load: Load, bytes: number): AppError | null {
  if (!load.hold(bytes)) return new AppError('OVERLOADED')
  request.heldBytes += bytes
  return null
}

function isStream(request: FastifyRequest): boolean {
  return request.routeOptions.config.streams === true && isLines(request.headers['content-type'])
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || payload instanceof Uint8Array ? payload.length : 0
}
