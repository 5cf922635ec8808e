/**
 * Where bodies are answered. A body starts in this thread, and moves to a worker when its work proves expensive, so that a
 * single patient does not wait for the mistakes of another caller. Large bodies go there at once. Buffers are transferred, not
 * copied.
 */
import { Worker } from 'node:worker_threads'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Deployment } from '../../catalog/deployment.ts'
import { packDeployments } from '../../catalog/portable.ts'
import { AppError } from '../../errors.ts'
import type { WorkBudget } from '../../engine/answer-builder.ts'
import type { LinesAnswer as EngineAnswer, LinesPlace } from '../../engine/read/lines.ts'
import type { Call } from '../../engine/scorer.ts'
import type { TallyCounts } from '../../engine/tally.ts'
import { ThreadPool, threadEntry } from '../../workers/pool.ts'

/** From this size on a body goes to a worker at once: reading clean records takes about a millisecond. */
export const LARGE_BODY_BYTES = 384 * 1024
/** The limit if several processes share the cores: a transfer then pays off only for bodies of several milliseconds. */
const LARGE_BODY_BYTES_OF_SEVERAL = 2 * 1024 * 1024
/** From this size on a body goes to a worker if few others wait there, so that a second core shares the work. */
const SHARED_BODY_BYTES = 128 * 1024
/** Bodies that may wait for each worker before such a body is answered in this thread. The rest of the queue is for large bodies. */
const SHARED_WAITING = 2
/** The most work in this thread before a body moves to a worker. */
const BUDGET_MS = 2
/** Bodies that the byte reader cannot read are parsed in this thread up to this size: parsing cannot be interrupted. */
const PARSE_BYTES = 64 * 1024
/** After an attempt that was given up, larger bodies go to the workers for this many times as long as it took. */
const PAUSE_FACTOR = 9
const SMALL_BODY_BYTES = 2 * 1024
/** Lines of a stream are answered in this thread in small portions only. */
const FEW_LINES_BYTES = 32 * 1024
const FEW_LINES = 64
const NEWLINE = 0x0a
/** Bodies that may wait for each worker. */
const WAITING_PER_THREAD = 8
/** By default a worker lets its heap grow to 160 MB for objects that die at once; its live ones need 25 MB. */
const WORKER_LIMITS = { maxYoungGenerationSizeMb: 24 }
/** Answers grow with the problems of the records: 16 MB of wrong names would give 160 MB of messages. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export interface WorkerQueue {
  /** Answers a body. It may be transferred to a worker, so the caller must not use it again. */
  answer(deployment: Deployment, call: Call, body: Uint8Array, today: number): Promise<BodyAnswer>
  /** Answers some lines of a stream. */
  answerLines(
    deployment: Deployment,
    call: Call,
    body: Uint8Array,
    today: number,
    place: LinesPlace,
  ): Promise<LinesAnswer>
  /** Throws when the workers have no room for a stream. */
  refuseWhenFull(): void
  close(): Promise<void>
}

/** What a worker is sent: a body, or some lines of a stream with their place in it. */
export interface ScoringJob {
  readonly deployment: string
  readonly call: Call
  readonly body: Uint8Array
  readonly today: number
  readonly place?: LinesPlace
}

export interface BodyAnswer {
  readonly bytes: Uint8Array
  readonly tally: TallyCounts
  /** The buffer of the body, given back by the worker that read it. */
  readonly spent?: ArrayBufferLike
  /** SHA-256 of the bytes, where a worker has answered. */
  readonly digest?: string
}

export interface LinesAnswer extends Pick<EngineAnswer, 'bytes' | 'idxs' | 'ambiguousIdxs'> {
  readonly tally: TallyCounts
  /** The lines, given back: a worker may have had them. */
  readonly body: Uint8Array
}

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

/** Work in this thread was given up because it proved expensive. */
class TooExpensive extends Error {}

class TimeBudget implements WorkBudget {
  readonly startedAt = performance.now()

  beforeParse(bytes: number): void {
    if (bytes > PARSE_BYTES) throw new TooExpensive()
  }

  step(answerBytes: number): void {
    ANSWER_BUDGET.step(answerBytes)
    if (performance.now() - this.startedAt > BUDGET_MS) throw new TooExpensive()
  }
}

/** Answers everything in this thread. */
export function inPlaceQueue(): WorkerQueue {
  return {
    answer: ({ scorer }, call, body, today) =>
      new Promise((resolve) => resolve(scorer[call](body, today, ANSWER_BUDGET))),
    answerLines: ({ scorer }, call, body, ...at) =>
      new Promise((resolve) => resolve({ ...scorer.lines[call](body, ...at), body })),
    refuseWhenFull: () => undefined,
    close: () => Promise.resolve(),
  }
}

/** Without threads everything is answered in this one. */
export function openWorkerQueue(
  catalog: Catalog,
  deployments: readonly Deployment[],
  options: {
    readonly threads: number
    readonly onDeath?: () => void
    readonly waitingPerThread?: number
    /** Whether several processes share the cores. */
    readonly isOneOfSeveral?: boolean
  },
): WorkerQueue {
  const { threads, onDeath, waitingPerThread = WAITING_PER_THREAD, isOneOfSeveral } = options
  const largeBodyBytes = isOneOfSeveral === true ? LARGE_BODY_BYTES_OF_SEVERAL : LARGE_BODY_BYTES
  const sharedBodyBytes = isOneOfSeveral === true ? LARGE_BODY_BYTES_OF_SEVERAL : SHARED_BODY_BYTES
  const inPlace = inPlaceQueue()
  if (threads === 0) return inPlace
  const workerData = packDeployments(catalog, deployments)
  const worker = { workerData, env: {}, resourceLimits: WORKER_LIMITS }
  const pool = new ThreadPool({
    size: threads,
    maxWaiting: threads * waitingPerThread,
    start: () => new Worker(threadEntry(import.meta.url, 'scoring-worker'), worker),
    onDeath,
  })
  let pausedUntil = 0
  return {
    async answer(deployment, call, given, today) {
      const isPaused = given.length > SMALL_BODY_BYTES && performance.now() < pausedUntil
      const isShared = given.length >= sharedBodyBytes && pool.waitingCount < threads * SHARED_WAITING
      if (given.length < largeBodyBytes && !isPaused && !isShared) {
        const budget = new TimeBudget()
        try {
          return deployment.scorer[call](given, today, budget)
        } catch (error) {
          if (!(error instanceof TooExpensive)) throw error
          // So at most a tenth of the time is spent on attempts that are given up.
          const now = performance.now()
          pausedUntil = now + PAUSE_FACTOR * (now - budget.startedAt)
        }
      }
      const body = transferable(given)
      const job: ScoringJob = { deployment: deployment.name, call, body, today }
      return pool.run<BodyAnswer>(job, [body.buffer as ArrayBuffer])
    },
    async answerLines(deployment, call, given, today, place) {
      if (hasFewLines(given)) return inPlace.answerLines(deployment, call, given, today, place)
      const body = transferable(given)
      const job: ScoringJob = { deployment: deployment.name, call, body, today, place }
      return pool.runInTurn<LinesAnswer>(job, [body.buffer as ArrayBuffer])
    },
    refuseWhenFull() {
      if (pool.isFull) throw new AppError('OVERLOADED')
    },
    close: () => pool.close(),
  }
}

function hasFewLines(body: Uint8Array): boolean {
  if (body.length > FEW_LINES_BYTES) return false
  let lines = 0
  for (let at = body.indexOf(NEWLINE); at >= 0 && lines <= FEW_LINES; at = body.indexOf(NEWLINE, at + 1))
    lines++
  return lines <= FEW_LINES
}

/**
 * The body in a buffer that may be transferred as a whole; what lies after the body in it belongs to nobody. Node keeps small
 * buffers together in a large one, which must not be transferred.
 */
function transferable(body: Uint8Array): Uint8Array {
  const isShared = body.byteOffset !== 0 || body.byteLength * 2 < body.buffer.byteLength
  return isShared ? new Uint8Array(body) : body
}
