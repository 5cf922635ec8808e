/**
 * Where bodies are answered: small ones in this thread, large ones in a worker, so that a single patient does not wait for
 * ten thousand others. Buffers are transferred between threads, not copied.
 */
import { Worker } from 'node:worker_threads'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Deployment } from '../../catalog/deployment.ts'
import { packDeployments } from '../../catalog/portable.ts'
import { AppError } from '../../errors.ts'
import type { LinesPlace } from '../../engine/read/every-line.ts'
import type { Call } from '../../engine/scorer.ts'
import { threadEntry } from '../../workers/entry.ts'
import { ThreadPool } from '../../workers/pool.ts'
import type { BodyAnswer, BodyJob, LinesJob, LinesResult } from './worker-job.ts'

/** From this size on, a transfer to a worker costs less than the wait of the other callers. */
export const LARGE_BODY_BYTES = 128 * 1024
/** The same where several processes share the cores: a transfer then pays off only for bodies of several milliseconds. */
export const LARGE_BODY_BYTES_OF_SEVERAL = 2 * 1024 * 1024
/** Large bodies that may wait for each worker. */
const WAITING_PER_THREAD = 8

export interface WorkerQueue {
  /** Answers a body. It may be transferred to a worker, so the caller must not use it again. */
  answer(
    deployment: Deployment,
    call: Call,
    body: Uint8Array,
    today: number,
  ): Promise<BodyAnswer> | BodyAnswer
  /** Answers some lines of a stream. */
  answerLines(
    deployment: Deployment,
    call: Call,
    body: Uint8Array,
    today: number,
    place: LinesPlace,
  ): Promise<LinesResult> | LinesResult
  /** Throws when the workers have no room for a stream. */
  refuseWhenFull(): void
  close(): Promise<void>
}

/** Answers everything in this thread. */
export function inPlaceQueue(): WorkerQueue {
  return {
    answer: ({ scorer }, call, body, today) => scorer[call](body, today),
    answerLines: ({ scorer }, call, body, today, place) => ({
      ...scorer.lines[call](body, today, place),
      body,
    }),
    refuseWhenFull: () => undefined,
    close: () => Promise.resolve(),
  }
}

export interface QueueOptions {
  readonly threads: number
  readonly onDeath?: () => void
  readonly waitingPerThread?: number
  /** The size from which a body goes to a worker. */
  readonly largeBodyBytes?: number
}

export function openWorkerQueue(
  catalog: Catalog,
  deployments: readonly Deployment[],
  options: QueueOptions,
): WorkerQueue {
  if (options.threads === 0) return inPlaceQueue()
  const workerData = packDeployments(catalog, deployments)
  const pool = new ThreadPool({
    size: options.threads,
    maxWaiting: options.threads * (options.waitingPerThread ?? WAITING_PER_THREAD),
    start: () => new Worker(threadEntry(import.meta.url, 'scoring-worker'), { workerData, env: {} }),
    ...(options.onDeath === undefined ? {} : { onDeath: options.onDeath }),
  })
  return queueOver(pool, options.largeBodyBytes ?? LARGE_BODY_BYTES)
}

function queueOver(pool: ThreadPool, largeBodyBytes: number): WorkerQueue {
  const inPlace = inPlaceQueue()
  return {
    answer(deployment, call, body, today) {
      if (body.length < largeBodyBytes) return inPlace.answer(deployment, call, body, today)
      const job: BodyJob = {
        kind: 'body',
        deployment: deployment.name,
        call,
        body: transferable(body),
        today,
      }
      return pool.run<BodyAnswer>(job, [job.body.buffer as ArrayBuffer])
    },
    answerLines(deployment, call, body, today, place) {
      if (body.length < largeBodyBytes) return inPlace.answerLines(deployment, call, body, today, place)
      const { name } = deployment
      const job: LinesJob = { kind: 'lines', deployment: name, call, body: owned(body), today, ...place }
      return pool.runInTurn<LinesResult>(job, [job.body.buffer as ArrayBuffer])
    },
    refuseWhenFull() {
      if (pool.isFull) throw new AppError('OVERLOADED')
    },
    close: () => pool.close(),
  }
}

/** The body in a buffer that may be transferred as a whole; what lies after the body in it belongs to nobody. */
function transferable(body: Uint8Array): Uint8Array {
  const isShared = body.byteOffset !== 0 || body.byteLength * 2 < body.buffer.byteLength
  return isShared ? new Uint8Array(body) : body
}

/** The body in a buffer of its own. Node keeps small buffers together in one, which must not be transferred. */
function owned(body: Uint8Array): Uint8Array {
  return body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body)
}
