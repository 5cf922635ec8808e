/** What the stages of a request need: one shape for the routes of fastify and for the scoring calls, which go without it. */
import type { IncomingMessage } from 'node:http'
import type { Deployment } from '../../catalog/deployment.ts'
import type { RequestId } from './request-id.ts'

/** What the log may say of the answer. */
export type Facts = Record<string, string | number>

export interface Asked {
  readonly raw: IncomingMessage
  readonly requestId: RequestId
  /** By a clock that is never set back, in milliseconds. */
  readonly startedAt: number
  readonly facts: Facts
  /** What the audit will say of the answer. */
  readonly trace: Trace
}

/** Where a stage leaves a header for the answer. */
export interface Told {
  header(name: string, value: string): unknown
}

/** What the audit will say of a request; filled while the request is answered. */
export interface Trace {
  /** Which call it is: score, validate, explain, model, fields, `keys create` and so on. Undefined: not audited. */
  call?: string
  deployment?: Deployment
  keyId: string | null
  /** Counts of an answer to records. */
  tally?: TraceTally
  /** The day that dates were judged by, YYYYMMDD. */
  today?: number
  /** Digests by `digestOfBytes`, where they were computed elsewhere, as in a worker or for a stream. */
  bodyDigest?: string
  answerDigest?: string
  /** How a stream ended: complete, hung up or cut off; or that it has begun, in the row before its first result. */
  ended?: string
  /** The key that a management call was about. */
  subject?: string
}

export interface TraceTally {
  readonly records: number
  readonly scored: number
  /** Records for which the model gave no number though nothing was wrong with them. */
  readonly uncomputable?: number
  /** Number of problems by field and kind. */
  readonly problems: ReadonlyMap<string, ReadonlyMap<string, number>>
}
