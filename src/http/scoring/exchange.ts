/** One scoring call and its answer, from the first header to the last byte. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deployment } from '../../catalog/deployment.ts'
import type { Call } from '../../engine/scorer.ts'
import type { StoredKey } from '../../store/store.ts'
import type { Asked, Facts, Told, Trace } from '../request/request-context.ts'
import type { WatchedBody } from '../connection/pace.ts'
import type { ProblemAnswer } from '../request/problem.ts'
import { HEADERS_OF_THE_ANSWER } from '../audit/record-audit.ts'
import { freeNow } from '../../workers/buffer-pool.ts'
import { type RequestId, requestIdFor } from '../request/request-id.ts'
import { DATA_HEADERS } from '../request/security-headers.ts'

const SMALL_ANSWER_BYTES = 4_096

export class Exchange implements Asked, Told {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly deployment: Deployment
  readonly call: Call
  readonly requestId: RequestId
  readonly startedAt = performance.now()
  readonly facts: Facts
  readonly trace: Trace
  readonly headers: Record<string, string> = { ...DATA_HEADERS }
  status = 0
  /** Bytes of body and answer that are held until the answer is done. */
  heldBytes = 0
  /** Whether the answer is out or the caller is gone: nothing may be counted for it any more. */
  isOver = false
  /** Whether its walk is at its end: nothing more will be known of it. */
  isWalked = false
  /** Whether it counts among the requests that are being answered. */
  isCounted = false
  /** Its body, where it has one. */
  watched: WatchedBody | undefined
  /** The body as it was scored, while anybody may look into it. */
  body: Uint8Array | undefined
  private key: StoredKey | undefined

  constructor(raw: IncomingMessage, response: ServerResponse, deployment: Deployment, call: Call) {
    this.raw = raw
    this.response = response
    this.deployment = deployment
    this.call = call
    this.requestId = requestIdFor(raw.headers['x-request-id'])
    this.headers['x-request-id'] = this.requestId.shown
    this.facts = { deployment: deployment.name }
    this.trace = { keyId: null, call, deployment }
  }

  /** The key that was shown; there is one once it was checked. */
  get caller(): StoredKey {
    if (this.key === undefined) throw new Error('the key of this exchange was not checked')
    return this.key
  }

  set caller(key: StoredKey) {
    this.key = key
  }

  /** Says who is told when the body comes too slowly. */
  onSlowBody(tell: () => void): void {
    if (this.watched !== undefined) this.watched.tell = tell
  }

  header(name: string, value: string): void {
    this.headers[name] = value
  }

  dropHeader(name: string): void {
    Reflect.deleteProperty(this.headers, name)
  }

  /** Sends the head of an answer whose body follows in pieces. */
  begin(status: number): void {
    this.status = status
    this.response.writeHead(status, this.headers)
    this.response.flushHeaders()
  }

  /** Sends a whole answer, unless the caller is gone. */
  send(status: number, body: Uint8Array | string): void {
    this.status = status
    if (this.response.destroyed) {
      this.facts['ended'] = 'hung up'
      return
    }
    this.headers['content-length'] = String(
      typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength,
    )
    this.response.writeHead(status, this.headers)
    if (typeof body === 'string') this.response.end(body)
    else if (body.length > SMALL_ANSWER_BYTES) {
      // Not before: until then the system may still be reading it.
      this.response.once('finish', () => freeNow(body))
      this.response.end(body)
    }
    // A small answer leaves as text together with its head, a character for each byte: one piece costs less than two.
    else this.response.end(bytesAsText(body), 'latin1')
  }

  /** Sends a refusal in place of an answer that is not given after all. */
  sendInstead({ status, headers, body }: ProblemAnswer): void {
    for (const name of HEADERS_OF_THE_ANSWER) this.dropHeader(name)
    Object.assign(this.headers, headers)
    this.send(status, body)
  }
}

function bytesAsText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
