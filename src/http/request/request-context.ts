/** What is known of a request while it is answered. Hooks, handlers, the audit and the log share it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import type { TallyCounts } from '../../engine/tally.ts'
import type { AppError, ErrorCode } from '../../errors.ts'
import type { StoredKey } from '../../store/store.ts'
import type { Load } from '../connection/load.ts'
import type { WatchedBody } from '../connection/pace.ts'
import type { Seal } from '../../store/audit/seal.ts'
import { type RequestId, requestIdFor } from './request-id.ts'

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
  }
  /** What a route declares about its calls. The hooks do the rest: key, quota, audit. */
  interface FastifyContextConfig {
    /** What the audit calls it: score, validate, `keys create` and so on. A route without a name leaves no row. */
    readonly call?: string
    /** The deployment that the route belongs to. */
    readonly deployment?: Deployment
    /** Which key the caller must present: any, one with the deployment in its scope, or one with the scope `admin`. */
    readonly access?: 'key' | 'deployment' | 'admin'
    /** Whether its calls count against the request quota of the key. */
    readonly isCounted?: boolean
    /** How refusals are written, where not as problem+json. */
    readonly refusal?: (error: AppError) => { readonly type: string; readonly body: string }
  }
}

export type RouteConfig = FastifyContextConfig

/** Called once each for a request. */
export interface RequestEnds {
  /** The answer is recorded and about to leave. */
  answered(): void
  /** The request is answered, and its answer has left or the caller has hung up. */
  over(context: RequestContext): void
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
  call: string | undefined
  deployment: Deployment | undefined
  /** The caller's key, once it was checked. */
  key: StoredKey | undefined
  /** The code of a refusal. */
  code: ErrorCode | undefined
  tally: TallyCounts | undefined
  /** The day that dates were judged by, YYYYMMDD. */
  today: number | undefined
  /** The decoded body, while its digest may still be taken. */
  body: Uint8Array | undefined
  /** SHA-256 in base64, where it was computed elsewhere, as in a worker or for a stream. */
  bodyDigest: string | undefined
  answerDigest: string | undefined
  /** How a stream ended: begun, complete, hung up or cut off. For other calls: that the caller hung up. */
  ended: string | undefined
  /** The key that a management call was about. */
  subject: string | undefined
  /** The body as it arrives, where the request has one. */
  arriving: WatchedBody | undefined
  private readonly load: Load
  private heldBytes = 0
  private isInProgress = false
  private isAnswered = false
  private readonly ends: RequestEnds

  constructor(
    message: IncomingMessage,
    response: ServerResponse,
    route: { readonly url?: string | undefined; readonly config: RouteConfig },
    load: Load,
    seal: Seal,
    ends: RequestEnds,
  ) {
    this.raw = message
    this.response = response
    this.id = requestIdFor(message.headers['x-request-id'], seal)
    this.route = route.url ?? 'none'
    this.config = route.config
    this.call = route.config.call
    this.deployment = route.config.deployment
    this.load = load
    this.ends = ends
    // Events, not promises: promises that wait for the end of a request keep it in memory until a full garbage collection.
    response.once('close', () => {
      if (this.isAnswered) ends.over(this)
    })
  }

  /** Marks the request as answered: its answer is recorded and about to leave, and nothing more will be known of it. */
  finish(): void {
    if (this.isAnswered) return
    this.isAnswered = true
    this.ends.answered()
    if (this.response.closed) this.ends.over(this)
  }

  get durationMs(): number {
    return Math.round((performance.now() - this.startedAt) * 1000) / 1000
  }

  /** Counts bytes that are held until the request is over. Throws when the service holds too many. */
  hold(bytes: number): void {
    this.load.hold(bytes)
    this.heldBytes += bytes
  }

  /** Counts the request among those being answered. Throws when there are too many. */
  beginWork(): void {
    if (this.isInProgress) return
    this.load.begin()
    this.isInProgress = true
  }

  /** Gives back everything that was counted. */
  release(): void {
    this.load.release(this.heldBytes)
    this.heldBytes = 0
    if (this.isInProgress) this.load.end()
    this.isInProgress = false
  }
}
