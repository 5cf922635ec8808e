/**
 * The interactive lane: a small body is answered at once, a large one by a thread, so that a single patient
 * never waits behind ten thousand. Bytes change hands between threads, they are not copied.
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
import type { BodyJob, LaneAnswer, LinesJob, LinesResult } from './worker-job.ts'

/** From this size on, which is read in a few tenths of a millisecond, a hand-over costs less than the wait of others would. */
export const LARGE_BODY_BYTES = 128 * 1024
/**
 * The same where several processes share the cores. A hand-over then wins no time, it only costs some; so a body is handed
 * over when it would keep the others waiting for longer than they notice, which is some milliseconds.
 */
export const LARGE_BODY_BYTES_OF_SEVERAL = 2 * 1024 * 1024
/** Large bodies that may wait for each thread. */
const WAITING_PER_THREAD = 8

export interface Lane {
  /** The answer to a body. The caller does not touch the body again. */
  answer(
    deployment: Deployment,
    call: Call,
    body: Uint8Array,
    today: number,
  ): Promise<LaneAnswer> | LaneAnswer
  /** The answer to some lines of a stream. */
  answerLines(
    deployment: Deployment,
    call: Call,
    body: Uint8Array,
    today: number,
    place: LinesPlace,
  ): Promise<LinesResult> | LinesResult
  /** Throws when there is no room for a long piece of work at present. */
  refuseWhenFull(): void
  close(): Promise<void>
}

/** Everything on one thread: where no threads are wanted. */
export function plainLane(): Lane {
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

export interface LaneOptions {
  readonly threads: number
  readonly onDeath?: () => void
  readonly waitingPerThread?: number
  /** The size from which a body is handed to a thread. */
  readonly largeBodyBytes?: number
}

export function openLane(catalog: Catalog, deployments: readonly Deployment[], options: LaneOptions): Lane {
  if (options.threads === 0) return plainLane()
  const workerData = packDeployments(catalog, deployments)
  const pool = new ThreadPool({
    size: options.threads,
    maxWaiting: options.threads * (options.waitingPerThread ?? WAITING_PER_THREAD),
    start: () => new Worker(threadEntry(import.meta.url, 'scoring-worker'), { workerData, env: {} }),
    ...(options.onDeath === undefined ? {} : { onDeath: options.onDeath }),
  })
  return laneOver(pool, options.largeBodyBytes ?? LARGE_BODY_BYTES)
}

function laneOver(pool: ThreadPool, largeBodyBytes: number): Lane {
  const plain = plainLane()
  return {
    answer(deployment, call, body, today) {
      if (body.length < largeBodyBytes) return plain.answer(deployment, call, body, today)
      // The whole buffer changes hands; what lies behind the body in it is nobody's.
      const given = isShared(body) ? new Uint8Array(body) : body
      const job: BodyJob = { kind: 'body', deployment: deployment.name, call, body: given, today }
      return pool.run<LaneAnswer>(job, [job.body.buffer as ArrayBuffer])
    },
    answerLines(deployment, call, body, today, place) {
      if (body.length < largeBodyBytes) return plain.answerLines(deployment, call, body, today, place)
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

/** Small buffers lie together in one of Node's, which must not change hands. A body of this size starts its own. */
function isShared(body: Uint8Array): boolean {
  return body.byteOffset !== 0 || body.byteLength * 2 < body.buffer.byteLength
}

function owned(body: Uint8Array): Uint8Array {
  return body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body)
}
