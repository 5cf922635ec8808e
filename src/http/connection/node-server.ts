/** The HTTP server of Node, with its time limits, and with handlers for what Node would answer by itself. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerSettings } from '../../server-settings.ts'
import type { Connections } from './connections.ts'

/** How often Node looks for headers that are late. */
const CHECK_EVERY_MS = 1_000

const waitingForContinue = new WeakSet<IncomingMessage>()

export function makeServer(
  request: (message: IncomingMessage, response: ServerResponse) => void,
  /** For bytes that are not a request, and for headers that came too slowly. */
  clientError: (error: Error & { code?: string }, socket: Socket) => void,
  { times }: ServerSettings,
  connections: Connections,
): Server {
  const server = createServer(
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
  server.on('clientError', clientError)
  server.on('connect', (_message: IncomingMessage, socket: Socket) =>
    clientError(new Error('CONNECT is not served.'), socket),
  )
  // `100 Continue` is sent after the key check, not before.
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    waitingForContinue.add(message)
    server.emit('request', message, response)
  })
  server.on('checkExpectation', (...exchange) => server.emit('request', ...exchange))
  connections.attach(server)
  return server
}

/** Sends `100 Continue` to a caller that waits for it. */
export function sendContinue(message: IncomingMessage, response: ServerResponse): void {
  if (waitingForContinue.delete(message)) response.writeContinue()
}

/** Whether the caller still waits for `100 Continue`. It may send its body or not, so the connection cannot be reused. */
export function awaitsContinue(message: IncomingMessage): boolean {
  return waitingForContinue.has(message)
}
