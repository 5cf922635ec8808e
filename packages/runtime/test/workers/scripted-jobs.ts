/** A thread for tests: it does what the job says, even exit. */
import { AppError } from '../../src/errors.ts'
import { serveJobs } from '../../src/workers/pool.ts'

/** Flags in shared memory: 0 until somebody raises it to 1. */
export interface Flags {
  /** The job is answered once the test has raised this one. */
  readonly waitFor?: Int32Array
  /** Raised by the thread as soon as the answer is sent. */
  readonly sent?: Int32Array
  /** The job works until it is abandoned, raises `sent` and gives up. */
  readonly isEndless?: boolean
}

serveJobs((job, isAbandoned) => {
  if (job === 'die') process.exit(3)
  if (job === 'throw') throw new Error('a patient called Miller')
  if (job === 'refuse') throw new AppError('BODY_NOT_ARRAY')
  const { waitFor, sent, isEndless } = Object(job) as Flags
  if (isEndless === true) {
    while (!isAbandoned());
    if (sent !== undefined) Atomics.store(sent, 0, 1)
    throw new Error('nobody waits for it')
  }
  if (waitFor !== undefined) Atomics.wait(waitFor, 0, 0)
  if (sent !== undefined)
    setImmediate(() => {
      Atomics.store(sent, 0, 1)
      Atomics.notify(sent, 0)
    })
  return { answer: job, transfer: [] }
})
