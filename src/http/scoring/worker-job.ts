/** What the queue sends to its workers, and what they send back. */
import type { WorkBudget } from '../../engine/batch.ts'
import type { Claimed } from '../../engine/read/lines.ts'
import type { Call } from '../../engine/scorer.ts'
import type { TallyCounts } from '../../engine/tally.ts'
import { AppError } from '../../errors.ts'

export type WorkerJob = BodyJob | LinesJob

export interface BodyJob {
  readonly kind: 'body'
  readonly deployment: string
  readonly call: Call
  readonly body: Uint8Array
  readonly today: number
}

export interface LinesJob {
  readonly kind: 'lines'
  readonly deployment: string
  readonly call: Call
  readonly body: Uint8Array
  readonly today: number
  readonly first: number
  readonly duplicates: ReadonlySet<number>
}

export interface BodyAnswer {
  readonly bytes: Uint8Array
  readonly tally: TallyCounts
  /** The buffer of the body, given back by the worker that read it. */
  readonly spent?: ArrayBufferLike
  /** SHA-256 of the body and of the bytes, where a worker has answered. */
  readonly digests?: { readonly body: string; readonly answer: string }
}

export interface LinesResult {
  readonly bytes: Uint8Array
  readonly tally: TallyCounts
  /** The idx of each record; NaN where it has no usable one. */
  readonly idxs: Float64Array
  readonly claimed: Claimed
  /** The lines, given back: a worker may have had them. */
  readonly body: Uint8Array
}

/** Answers grow with the problems of the records: 16 MB of wrong names would give 160 MB of messages. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Refuses an answer that would become too large, before it is complete. */
export const ANSWER_BUDGET: WorkBudget = {
  beforeParse: () => undefined,
  step(answerBytes) {
    if (answerBytes <= MAX_ANSWER_BYTES) return
    throw new AppError(
      'BODY_TOO_LARGE',
      `The problems of these records would fill an answer of more than ${MAX_ANSWER_BYTES} bytes. Send fewer records in a request.`,
    )
  },
}
