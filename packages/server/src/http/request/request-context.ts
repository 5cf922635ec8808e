/** What is known of a request while it is answered. Hooks, handlers, the audit and the log share it. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import type { Deployment, KeyCodes } from '@patient-risk/catalog'
import { type Seal, sealRequestId, type AppError, type ErrorCode } from '@patient-risk/runtime'
import type { TallyCounts } from 'patient-risk-engine'
import type { OutcomeSums } from '../../store/outcomes/outcome-sums.ts'
import type { ScoredRisks } from '../../store/outcomes/scored-risks.ts'
import type { StoredKey } from '../../store/store.ts'
import { callerLeft } from '../connection/caller-left.ts'
import type { WatchedBody } from '../connection/pace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
  }
  /** What a route declares about its calls. The hooks do the rest: key, quota, audit. */
  interface FastifyContextConfig {
    /** What the audit calls it: score, validate, `keys create` and so on. A route without a name leaves no row. */
    readonly call?: string | undefined
    /** The deployment that the route belongs to. */
    readonly deployment?: Deployment | undefined
    /**
     * Which key the caller must present: any, one with the deployment in its scope, one that may send its outcomes, one that manages it,
     * one that may use or manage it, or one with the scope `admin`.
     */
    readonly access?: Access
    /** Whether its calls count against the request quota of the key. */
    readonly isCounted?: boolean
    /** Whether its bodies are for an adapter, such as FHIR: what these hold at a time has a bound of its own. */
    readonly isForAdapter?: boolean
    /** Whether its body may take as long as a stream. */
    readonly isStreamed?: boolean
    /** How refusals are written, where not as problem+json. */
    readonly refusal?: ((error: AppError) => { readonly type: string; readonly body: string }) | undefined
  }
}

export type RouteConfig = FastifyContextConfig
export type Access = 'key' | 'deployment' | 'job' | 'outcomes' | 'manager' | 'admin'

export interface RequestId {
  /** As the answer carries it. */
  readonly shown: string
  /** As logs carry it. A caller may write anything into its id, even a patient's name, so logs get it sealed. */
  readonly logged: string
}

/** What the row of a call with outcomes says of its elements. Those with problems are neither counted nor repeats. */
export interface OutcomeFacts {
  readonly counted: number
  readonly repeats: number
  /** What was added to the counts, by digest and month. */
  readonly sums?: OutcomeSums
}

export class RequestContext {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly id: RequestId
  /** By a clock that is never set back, in milliseconds. */
  readonly startedAt = performance.now()
  /** The pattern of the route, not the address: a caller may write anything into an address. */
  readonly route: string
  readonly config: RouteConfig
  readonly call: string | undefined
  readonly deployment: Deployment | undefined
  /** The caller's key, once it was checked. */
  key: StoredKey | undefined
  /** The id of that key, where the caller showed a signed token instead of it. */
  tokenKeyId: string | undefined
  /** The limits of the key and what it has left, as headers state them; empty where nothing was counted. */
  limitPolicy = ''
  limitLeft = ''
  /** The code of a refusal. */
  code: ErrorCode | undefined
  tally: TallyCounts | undefined
  /** The codes of the caller's key that the answer was made with; undefined where it has none. */
  codes: KeyCodes | undefined
  /** The day that dates were judged by, YYYYMMDD. */
  today: number | undefined
  /** A body whose buffer may be of the pool, until it can be used again. */
  pooledBody: Uint8Array | undefined
  /** SHA-256 in base64, taken while the body arrives. */
  bodyDigest: string | undefined
  /** SHA-256 in base64, where it was computed elsewhere, as in a worker or for a stream. */
  answerDigest: string | undefined
  /** How a stream ended: begun, complete, hung up or cut off. For other calls: that the caller hung up. */
  ended: string | undefined
  /** What the call was about: a key, the group of an alarm, or how many outcomes were counted. */
  subject: string | undefined
  /** Of a call with outcomes: how many of its elements were counted, and how many had been counted before. */
  outcomes: OutcomeFacts | undefined
  /** The group of the patients that are scored, empty where none is named; undefined where their risks are not counted. */
  scoreGroup: string | undefined
  /** The risks of the answer, where they are counted. */
  scoredRisks: ScoredRisks | undefined
  /** The status of an answer whose row is durable already. Another answer, such as a refusal, gets a row of its own. */
  recordedStatus: number | undefined
  /** The body as it arrives, where the request has one. */
  arriving: WatchedBody | undefined
  /** Whether the caller still waits for `100 Continue`. It may send its body or not, so the connection cannot be reused. */
  awaitsContinue: boolean
  /** Bytes of the body and the answer that are held until the request is over. */
  heldBytes = 0
  /** Whether these are bytes of a body for an adapter. */
  isForAdapter: boolean
  /** Whether it counts among the requests that are being answered. */
  isInProgress = false
  /** Whether its answer is recorded and about to leave. */
  isFinished = false
  private leaving: AbortSignal | undefined

  constructor(
    message: IncomingMessage,
    response: ServerResponse,
    route: string | undefined,
    config: RouteConfig,
    seal: Seal,
  ) {
    this.raw = message
    this.response = response
    this.id = requestIdFor(message.headers['x-request-id'], seal)
    this.route = route ?? 'none'
    this.config = config
    this.call = config.call
    this.deployment = config.deployment
    this.isForAdapter = config.isForAdapter === true
    this.awaitsContinue = message.httpVersion === '1.1' && message.headers.expect !== undefined
  }

  get durationMs(): number {
    return Math.round((performance.now() - this.startedAt) * 1000) / 1000
  }

  /** Aborted when the caller has closed the connection. Few requests need it, so it is made when it is asked for. */
  get left(): AbortSignal {
    this.leaving ??= callerLeft(this.raw, this.response)
    return this.leaving
  }

  /** Whether the answer leaves line by line: its headers have left before it is complete. */
  get isStreaming(): boolean {
    return this.response.headersSent
  }

  /** Notes what the audit and the log say of an answer. */
  noteAnswer(today: number, tally: TallyCounts, digest: string | undefined): void {
    this.today = today
    this.tally = tally
    this.answerDigest = digest
  }

  /** Notes that a refusal takes the place of the answer: what was noted of that one belongs to nothing that leaves. */
  noteRefusal(code: ErrorCode): void {
    this.code = code
    this.tally = undefined
    this.outcomes = undefined
    this.scoredRisks = undefined
    this.codes = undefined
    this.answerDigest = undefined
  }

  /** Sends `100 Continue` to a caller that waits for it. */
  sendContinue(): void {
    if (this.awaitsContinue) this.response.writeContinue()
    this.awaitsContinue = false
  }

  /** Waits for work of this service. The connection stands still meanwhile, and that is not the caller's fault. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    const { socket } = this.raw
    const { timeout = 0 } = socket
    socket.setTimeout(0)
    try {
      return await work
    } finally {
      socket.setTimeout(timeout)
    }
  }
}

const PRINTABLE = /^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/

/** The caller's own id where it sends a valid one, otherwise a UUID of version 7. */
function requestIdFor(given: string | string[] | undefined, seal: Seal): RequestId {
  if (typeof given === 'string' && PRINTABLE.test(given))
    return { shown: given, logged: sealRequestId(seal, given) }
  const made = orderedId()
  return { shown: made, logged: made }
}

let lastMs = -1
let printedMs = ''

/** An id that grows with time (RFC 9562). Node draws random UUIDs in large portions, so the rest of one costs little. */
export function orderedId(now: number = Date.now()): string {
  if (now !== lastMs) {
    lastMs = now
    const time = now.toString(16).padStart(12, '0')
    printedMs = `${time.slice(0, 8)}-${time.slice(8)}-7`
  }
  return printedMs + randomUUID().slice(15)
}
