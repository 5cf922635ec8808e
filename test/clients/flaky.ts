/** A proxy between a client and the service that fails at first, as networks do: no answer, then busy until a date, then the answer. */
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Flaky {
  readonly origin: string
  /** The request ids of the attempts, by address. */
  readonly attempts: ReadonlyMap<string, readonly string[]>
  close(): void
}

/** `page` holds modules and documents by their paths, for a client in a browser. They never fail. */
export async function flakyProxy(
  target: () => string,
  page: ReadonlyMap<string, string> = new Map(),
): Promise<Flaky> {
  const attempts = new Map<string, string[]>()
  const server: Server = createServer((request, response) => {
    const url = request.url ?? ''
    const file = page.get(url)
    if (file !== undefined) {
      const type = url.endsWith('.js') ? 'text/javascript' : 'text/html'
      response.writeHead(200, { 'content-type': type }).end(file)
      return
    }
    const ids = attempts.get(url) ?? []
    attempts.set(url, [...ids, String(request.headers['x-request-id'])])
    if (ids.length === 0) {
      request.socket.destroy()
      return
    }
    if (ids.length === 1) {
      response.writeHead(503, { 'retry-after': new Date(Date.now() + 2_000).toUTCString() }).end('busy')
      return
    }
    const { method = 'GET', headers } = request
    const { authorization = '', 'content-type': type = '' } = headers
    void (async () => {
      const body = method === 'POST' ? await new Response(request as never).arrayBuffer() : null
      const answer = await fetch(target() + url, {
        method,
        headers: { authorization, 'content-type': type },
        body,
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, attempts, close: () => void server.close() }
}
