/** One HTTP exchange: with the handlers alone, or over a socket as it is on the wire, with exact header spelling and bytes. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
  /** The parsed body. Throws when it is not JSON. */
  json(): unknown
}

export interface Call {
  readonly method?: string
  readonly path: string
  /** A header with a list of values is sent that many times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | string
}

// The stand-ins for a request and its socket that fastify brings lack what the service asks of real ones.
const { raw } = await fastify().inject('/')
Object.assign(Object.getPrototypeOf(raw.req) as object, { complete: true })
Object.assign(Object.getPrototypeOf(raw.req.socket) as object, {
  bytesRead: 0,
  setTimeout: () => undefined,
  destroy: () => undefined,
})

/** Gives one request to the hooks and handlers of a server, without a socket. */
export async function inject(app: FastifyInstance, origin: string, call: Call): Promise<Answer> {
  const { pathname, search } = new URL(origin + call.path)
  // Without a socket an address is parsed as a URL, which would resolve dots.
  if (pathname + search !== call.path) return exchange(origin, call)
  const { statusCode, headers, rawPayload } = await app.inject({
    method: (call.method ?? 'GET') as 'GET',
    url: call.path,
    authority: new URL(origin).host,
    headers: plainHeaders(call),
    ...(call.body === undefined ? {} : { payload: Buffer.from(call.body) }),
  })
  return answerOf(statusCode, headers as IncomingHttpHeaders, rawPayload)
}

const plainHeaders = ({ headers = {} }: Call): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )

/** Sends one request on a connection of its own. */
export function exchange(origin: string, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = plainHeaders(call)
    const request = httpRequest(origin, {
      method: call.method ?? 'GET',
      path: call.path,
      headers,
      agent: false,
    })
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))),
      )
    })
    request.on('error', reject)
    request.end(call.body)
  })
}

/** A test that waits for an answer that never comes fails, and does not hang. */
const PATIENCE_MS = 30_000

/** Writes bytes to a socket as they are, leaves it open, and reads the first answer. */
export function rawExchange(origin: string, bytes: Uint8Array | string): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const socket = connect({ host: hostname, port: Number(port) })
  let received = Buffer.alloc(0)
  const finish = (isLast: boolean): void => {
    const answer = parseAnswer(received, isLast)
    if (answer !== undefined) resolve(answer)
    else if (isLast) reject(new Error(`the server hung up after ${received.length} bytes without an answer`))
    if (answer !== undefined || isLast) socket.destroy()
  }
  socket.setTimeout(PATIENCE_MS, () => finish(true))
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    finish(false)
  })
  // A server that refuses a body half-way may reset the connection after its answer.
  socket.on('error', () => finish(true))
  socket.on('end', () => finish(true))
  socket.on('connect', () => socket.write(bytes))
  return promise
}

/** The first answer in what a socket has received, or undefined while it is not all there. */
function parseAnswer(bytes: Buffer, isLast: boolean): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const rest = bytes.subarray(end + 4)
  const length = Number(headers['content-length'] ?? (isLast ? rest.length : Infinity))
  if (rest.length < length) return undefined
  return answerOf(Number(statusLine.split(' ')[1]), headers, rest.subarray(0, length))
}

function answerOf(status: number, headers: IncomingHttpHeaders, body: Buffer): Answer {
  const text = body.toString('utf8')
  return { status, headers, body, text, json: () => JSON.parse(text) as unknown }
}
