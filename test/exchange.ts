/** One HTTP exchange with a listening server, seen as it is on the wire: exact header spelling, exact bytes. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'

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

/** Sends one request on a connection of its own. */
export function exchange(origin: string, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(
      Object.entries(call.headers ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : [...value],
      ]),
    )
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

/**
 * Writes bytes to a socket as they are and reads until the server closes it. With `stayOpen` the sending side
 * is left open, as by a caller that stops half-way; without it the caller hangs up after its last byte.
 */
export function rawExchange(
  origin: string,
  bytes: Uint8Array | string,
  options: { readonly stayOpen?: boolean } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', (error) =>
      chunks.length > 0 ? resolve(parseAnswer(Buffer.concat(chunks))) : reject(error),
    )
    socket.on('end', () => {
      socket.destroy()
      resolve(parseAnswer(Buffer.concat(chunks)))
    })
    socket.on('connect', () => {
      if (options.stayOpen === true) socket.write(bytes)
      else socket.end(bytes)
    })
  })
}

/** The first answer in what a socket has received. */
function parseAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0)
    throw new Error(`the server closed the connection after ${bytes.length} bytes without an answer`)
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const length = headers['content-length']
  const rest = bytes.subarray(end + 4)
  const body = length === undefined ? rest : rest.subarray(0, Number(length))
  return answerOf(Number(statusLine.split(' ')[1]), headers, body)
}

function answerOf(status: number, headers: IncomingHttpHeaders, body: Buffer): Answer {
  const text = body.toString('utf8')
  return { status, headers, body, text, json: () => JSON.parse(text) as unknown }
}
