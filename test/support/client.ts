/** A caller for torture: keeps its connections, sends what it is given, and hides no failure. */
import { Agent, request as httpRequest } from 'node:http'
import { SCORE } from './serve.ts'
import type { ServiceProcess } from './service-process.ts'

export interface Reply {
  readonly status: number
  readonly body: Buffer
  readonly requestId: string | undefined
  readonly closes: boolean
}

export class Client {
  readonly agent: Agent
  private readonly service: Pick<ServiceProcess, 'port' | 'key'>

  constructor(service: Pick<ServiceProcess, 'port' | 'key'>, connections: number) {
    this.service = service
    this.agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Posts a body. With `abortAfterMs` it hangs up then, and the promise is rejected unless the answer was quicker. */
  post(
    body: Uint8Array | string,
    options: {
      readonly path?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly abortAfterMs?: number
    } = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: this.service.port,
        method: 'POST',
        path: options.path ?? SCORE,
        agent: this.agent,
        headers: {
          authorization: `Bearer ${this.service.key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...options.headers,
        },
      })
      const abort =
        options.abortAfterMs === undefined
          ? undefined
          : setTimeout(() => request.destroy(), options.abortAfterMs)
      request.on('error', (error) => {
        clearTimeout(abort)
        reject(error)
      })
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('aborted', () => reject(new Error('the answer broke off')))
        response.on('end', () => {
          clearTimeout(abort)
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks),
            requestId: response.headers['x-request-id'] as string | undefined,
            closes: response.headers.connection === 'close',
          })
        })
      })
      request.end(body)
    })
  }

  close(): void {
    this.agent.destroy()
  }
}
