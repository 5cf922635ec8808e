/** The guards before the routes of fastify: everything but the scoring calls. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Connections } from '../connection/connections.ts'
import { type Guards, hasBody, isAlwaysAnswered } from '../connection/guards.ts'
import { letSend } from '../connection/node-server.ts'
import type { WatchedBody } from '../connection/pace.ts'
import { codingOf, readBody } from './read-body.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the body that are held until the answer is done. */
    heldBytes: number
    /** The body, where there is one, as its pace is watched. */
    watched?: WatchedBody
  }
}

export function guardRoutes(app: FastifyInstance, guards: Guards, connections: Connections): void {
  const { lifecycle, load, pace } = guards
  app.addHook('onClose', (_instance, done) => {
    guards.stop()
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_HEADERS)
    request.heldBytes = 0
    if (hasBody(request.raw)) request.watched = pace.watchBody(request.raw, false)
    reply.raw.once('close', () => {
      pace.answered(request.watched)
      connections.answered(request.raw)
      load.release(request.heldBytes)
    })
    done(guards.refuse(request.raw))
  })
  app.addHook('preParsing', (request, reply, _payload, done) => {
    letSend(request.raw, reply.raw)
    done()
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (!isAlwaysAnswered(request.url)) {
      load.begin()
      reply.raw.once('close', () => load.end())
    }
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Also for a request that came before the stop: its connection must not outlive its answer.
    if (lifecycle.state === 'draining') reply.header('connection', 'close')
    done(null, payload)
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request: FastifyRequest, message: IncomingMessage) =>
    readBody(message, codingOf(request.headers['content-encoding']) ?? 'identity', {
      limit: request.routeOptions.bodyLimit,
      hold: (bytes) => guards.hold(request, bytes),
      onSlow: (tell) => {
        if (request.watched !== undefined) request.watched.tell = tell
      },
    }),
  )
}
