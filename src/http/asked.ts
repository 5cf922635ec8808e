/** What the stages of a request need: one shape for the routes of fastify and for the scoring calls, which go without it. */
import type { IncomingMessage } from 'node:http'
import type { RequestId } from './request-id.ts'
import type { Trace } from './record-audit.ts'

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
