/** The HTTP server of Node, with its times set and its edges closed. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerSettings } from '../../server-settings.ts'
import { answerClientError } from './client-error.ts'
import type { Connections } from './connections.ts'

/** How often Node looks for headers that are late. */
const LOOK_EVERY_MS = 1_000

const awaiting = new WeakSet<IncomingMessage>()

export type Handler = (message: IncomingMessage, response: ServerResponse) => void

export function makeServer(handler: Handler, { times }: ServerSettings, connections: Connections): Server {
  const server = createServer(
    {
      headersTimeout: times.headersMs,
      // The pace of a body is kept elsewhere: a stream may take longer than one request.
      requestTimeout: 0,
      keepAliveTimeout: times.idleMs,
      connectionsCheckingInterval: LOOK_EVERY_MS,
      // Refused in our own words, like every other bad request.
      requireHostHeader: false,
    },
    handler,
  )
  server.setTimeout(times.stallMs)
  server.on('clientError', answerClientError)
  server.on('connect', (_message: IncomingMessage, socket: Socket) =>
    answerClientError(new Error('CONNECT is not served.'), socket),
  )
  // A caller that asks before it sends its body is told to go on when its key was found good, not before.
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    awaiting.add(message)
    server.emit('request', message, response)
  })
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) =>
    server.emit('request', message, response),
  )
  connections.attach(server)
  return server
}

/** Tells a caller that waits with its body to send it. */
export function letSend(message: IncomingMessage, response: ServerResponse): void {
  if (awaiting.delete(message)) response.writeContinue()
}

/** Whether a caller still waits with its body: it may send it or not, so its connection cannot be used again. */
export function isWaiting(message: IncomingMessage): boolean {
  return awaiting.has(message)
}
