/** A server that misbehaves as proxies and networks do. The first part of the path says how; `well` is an answer as it should be. */
import assert from 'node:assert/strict'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Answer = (response: ServerResponse, results: readonly string[], attempt: number) => void

const JSON_TYPE = { 'content-type': 'application/json' }
const LINES_TYPE = { 'content-type': 'application/x-ndjson' }
const PAGE = '<html><body>Please sign in</body></html>'
const well: Answer = (response, results) => void response.writeHead(200, JSON_TYPE).end(`[${results.join()}]`)
const page: Answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
const atFirst =
  (status: number, times = 1): Answer =>
  (response, results, attempt) => {
    if (attempt > times) well(response, results, attempt)
    else response.writeHead(status, { 'content-type': 'text/html' }).end(PAGE)
  }

const ANSWERS: Readonly<Record<string, Answer>> = {
  well,
  'first-429': atFirst(429),
  'first-500': atFirst(500),
  'first-502': atFirst(502),
  'first-503': atFirst(503),
  'first-504': atFirst(504),
  // One attempt more than the clients of the test make.
  'first-two-502': atFirst(502, 2),
  page,
  'page-called-json': (response) => void response.writeHead(200, JSON_TYPE).end(PAGE),
  short: (response, results) => void response.writeHead(200, JSON_TYPE).end(`[${results.slice(1).join()}]`),
  'no-list': (response) => void response.writeHead(200, JSON_TYPE).end('{"risk":0.2}'),
  half: (response, results) => void response.writeHead(200, JSON_TYPE).end(`[${results.join()}`),
  broken: (response, results) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '100000' })
    response.write(`[${results.join()}`, () => response.destroy())
  },
  'stream-page': page,
  'stream-cut': (response, results) => {
    response.writeHead(200, LINES_TYPE)
    response.write(`${results[0] ?? ''}\n`, () => setTimeout(() => response.destroy(), 50))
  },
  'stream-short': (response, results) =>
    void response.writeHead(200, LINES_TYPE).end(`${results.slice(1).join('\n')}\n`),
  'stream-half': (response, results) =>
    void response.writeHead(200, LINES_TYPE).end(results.join('\n').slice(0, -5)),
  // All that lacks is the last line feed.
  'stream-unended': (response, results) => void response.writeHead(200, LINES_TYPE).end(results.join('\n')),
}

const PROXY =
  'RiskServiceError: The answer did not come from the service itself; a proxy may stand between. It is not JSON.'
const CUT = 'RiskServiceError: The answer is cut off or is not JSON.'
/** What a client makes of each kind of answer. */
export const OUTCOMES: Readonly<Record<string, string | RegExp>> = {
  well: '0.2 0.2',
  'first-429': '0.2 0.2',
  'first-500': /^RiskServiceError: The answer did not come from the service itself/,
  'first-502': '0.2 0.2',
  'first-503': '0.2 0.2',
  'first-504': '0.2 0.2',
  'first-two-502': /^RiskServiceError: The answer did not come from the service itself/,
  page: PROXY,
  'page-called-json': CUT,
  short: 'RiskServiceError: The answer has 1 results for 2 records, so none is used.',
  'no-list': 'RiskServiceError: The answer has no list of results for 2 records, so none is used.',
  half: CUT,
  // A lost connection, in the words of each language.
  broken: /^(TypeError|IncompleteRead|RiskServiceError: .+)$/,
  'stream-page': PROXY,
  'stream-cut': 'RiskServiceError: The stream was cut off after 1 results.',
  'stream-short': 'RiskServiceError: The stream was cut off after 1 results.',
  'stream-half': 'RiskServiceError: The stream was cut off after 1 results.',
  'stream-unended': 'RiskServiceError: The stream was cut off after 1 results.',
}

export function holdOutcome(mode: string, found: string | undefined): void {
  const expected = OUTCOMES[mode]
  if (expected instanceof RegExp) assert.match(found ?? '', expected, mode)
  else assert.equal(found, expected, mode)
}

export interface Misbehaving {
  readonly origin: string
  close(): void
}

export async function misbehavingServer(): Promise<Misbehaving> {
  const attempts = new Map<string, number>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '', method } = request
    const kind = new URL(url, 'http://127.0.0.1').pathname.split('/')[1] ?? ''
    const body = await text(request)
    if (method === 'GET') {
      const limits = { records: 100, bytes: 10_000 }
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ deployment: { limits } }))
      return
    }
    // Each client counts its own attempts by its request id.
    const id = `${kind} ${String(request.headers['x-request-id'])}`
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const results = [...body.matchAll(/"idx":(\d+)/g)].map(
      ([, idx = '']) => `{"idx":${idx},"risk":0.2,"error_message":null}`,
    )
    ANSWERS[kind]?.(response, results, attempt)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { origin: `http://127.0.0.1:${port}`, close }
}
