/** What a pool and its threads say to each other. */
import type { Transferable } from 'node:worker_threads'
import type { ErrorCode } from '../errors.ts'

export interface JobMessage {
  readonly job: unknown
}

/** An answer; or a request that cannot be served; or a bug, of which no text crosses: it may quote a record. */
export type AnswerMessage =
  | { readonly answer: unknown }
  | { readonly refused: ErrorCode }
  | { readonly bug: { readonly kind: string; readonly place: string } }

/** A job's answer, and the buffers in it that change hands instead of being copied. */
export interface Answered {
  readonly answer: unknown
  readonly transfer: readonly Transferable[]
}
