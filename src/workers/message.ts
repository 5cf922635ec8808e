/** The messages between a pool and its threads. */
import type { Transferable } from 'node:worker_threads'
import type { ErrorCode } from '../errors.ts'

export interface JobMessage {
  readonly job: unknown
}

/** An answer, a refusal, or a bug without its text, which may quote a record. */
export type AnswerMessage =
  | { readonly answer: unknown }
  | { readonly refused: ErrorCode; readonly detail: string }
  | { readonly bug: { readonly kind: string; readonly place: string } }

/** The answer of a job, and the buffers in it that are transferred instead of copied. */
export interface Answered {
  readonly answer: unknown
  readonly transfer: readonly Transferable[]
}
