/** What one request may cost: the size of its answer, the work of explaining its records, and for as long as somebody waits for it. */
import type { WorkBudget } from 'patient-risk-engine'
import { AppError } from '@patient-risk/runtime'

/** Answers grow with the problems of the records: 16 MB of wrong names would give 160 MB of messages. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/**
 * The most steps for all records of a request: 200 records at the bound of each, or 2 to 4 s. A request with more is refused as a whole.
 * To leave out the ranges of its last records instead would make them depend on the records before them.
 */
export const REQUEST_STEPS = 100_000_000

/** Nobody waits for the answer any more. It is no AppError, which would be taken for the fault of one line or one patient. */
class Abandoned extends Error {
  override readonly name = 'Abandoned'
}

/** Who waits for an answer. */
export interface Caller {
  /** Aborted when the caller closes the connection. Only asked for when a worker gets the job. */
  readonly left: AbortSignal
}

/** Whether the caller has left; asked in a worker while it works. */
type IsAbandoned = () => boolean

const STAYS: IsAbandoned = () => false

function checkCaller(isAbandoned: IsAbandoned): void {
  if (isAbandoned()) throw new Abandoned()
}

/** The lines of a stream: each is bounded by itself, and the stream by what its caller reads. */
export class LinesBudget implements WorkBudget {
  private readonly isAbandoned: IsAbandoned

  constructor(isAbandoned = STAYS) {
    this.isAbandoned = isAbandoned
  }

  beforeParse(): void {
    checkCaller(this.isAbandoned)
  }

  step(): void {
    checkCaller(this.isAbandoned)
  }

  work(): void {
    checkCaller(this.isAbandoned)
  }
}

/** A whole request, such as a body of records or a Bundle. */
export class RequestBudget implements WorkBudget {
  private readonly isAbandoned: IsAbandoned
  private steps = 0

  constructor(isAbandoned = STAYS) {
    this.isAbandoned = isAbandoned
  }

  beforeParse(bytes: number): void {
    // An empty body takes no time.
    if (bytes > 0) checkCaller(this.isAbandoned)
  }

  step(answerBytes: number): void {
    checkCaller(this.isAbandoned)
    if (answerBytes <= MAX_ANSWER_BYTES) return
    throw new AppError(
      'BODY_TOO_LARGE',
      `The problems of these records would fill an answer of more than ${MAX_ANSWER_BYTES} bytes. Send fewer records in a request.`,
    )
  }

  work(steps: number): void {
    checkCaller(this.isAbandoned)
    this.steps += steps
    if (this.steps <= REQUEST_STEPS) return
    throw new AppError(
      'TOO_MANY_RECORDS',
      'Explaining these records would take more work than a request may cause: too many inputs are missing in too many records. Send fewer records in a request.',
    )
  }
}
