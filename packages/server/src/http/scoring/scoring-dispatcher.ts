/**
 * Where bodies are answered. A body starts in this thread, and moves to a worker when its work proves expensive, so that a
 * single patient does not wait for the mistakes of another caller. Large bodies and those of adapters go there at once.
 */
import { Worker } from 'node:worker_threads'
import {
  type Catalog,
  type Deployment,
  type KeyCodes,
  packDeployments,
  unpackScorers,
} from '@patient-risk/catalog'
import { AppError, ThreadPool, threadEnv } from '@patient-risk/runtime'
import type { RecordCollector } from '@patient-risk/monitor'
import type { Words } from 'patient-risk-engine/words'
import type { FeedNotice, LinesPlace, Call, Scorer, WatchSample } from 'patient-risk-engine'
import { type Caller, RequestBudget } from './request-budget.ts'
import { type BodyAnswer, type LinesAnswer, type ScoringJob, callsOf } from './scoring-jobs.ts'

/** Up to this size work always stays here: one record of 50 fields, or 1.8 ms for as many empty lines as fit. */
const SMALL_BYTES = 1024
/** From this size on a second core may share the work, and no body is parsed here: at worst, with every key another, that takes 10 ms. */
const MEDIUM_BYTES = 64 * 1024
/** From this size on a body never stays here: clean records take 1.2 ms, and that cannot be interrupted. */
export const LARGE_BYTES = 384 * 1024

/** Bodies that may wait for each worker before one of medium size is answered in this thread. */
const SHARED_WAITING = 2
/** Bodies that may wait for each worker; further ones are refused. */
const WAITING_PER_THREAD = 8
/** Jobs of adapters that may wait for each worker; further ones are refused. What they hold is bounded in bytes too. */
const ADAPTER_JOBS_PER_THREAD = 64
/** The most work in this thread before a body moves to a worker: the time that has passed, and steps that were not taken yet. */
const BUDGET_MS = 2
export const BUDGET_STEPS = 20_000
/** After an attempt that was given up, bodies go to the workers for this many times as long as it took. */
const PAUSE_FACTOR = 9
/** By default a worker lets its heap grow to 160 MB for objects that die at once; its live ones need 25 MB. */
const WORKER_LIMITS = { maxYoungGenerationSizeMb: 24 }

/** Work in this thread was given up because it proved expensive. */
class TooExpensive extends Error {}

/** For calls that take no steps: all requests may share it. */
const ANSWER_BUDGET = new RequestBudget()

/** What may be done in this thread, where nobody can see whether the caller has left. */
class HereBudget extends RequestBudget {
  readonly startedAt = performance.now()
  private stepsHere = 0

  override beforeParse(bytes: number): void {
    if (bytes > MEDIUM_BYTES) throw new TooExpensive()
  }

  override step(answerBytes: number): void {
    super.step(answerBytes)
    if (performance.now() - this.startedAt > BUDGET_MS) throw new TooExpensive()
  }

  /** Asked before the steps are taken, so this thread never begins what it may not finish. */
  override work(steps: number): void {
    this.stepsHere += steps
    if (this.stepsHere > BUDGET_STEPS) throw new TooExpensive()
  }
}

interface DispatcherOptions {
  /** Without threads everything is answered in this one. */
  readonly threads: number
  /** The file that a thread starts with, and what it is given besides the deployments. */
  readonly worker: { readonly entry: URL; readonly data: object }
  readonly onDeath?: () => void
  readonly waitingPerThread?: number
  /** Whether several processes share the cores, so that a second thread gains nothing. */
  readonly isOneOfSeveral?: boolean
}

export function openDispatcher(
  catalog: Catalog,
  deployments: readonly Deployment[],
  options: DispatcherOptions,
): ScoringDispatcher {
  const { threads, worker, onDeath, waitingPerThread = WAITING_PER_THREAD, isOneOfSeveral = false } = options
  const packed = packDeployments(catalog, deployments)
  const scorerOf = unpackScorers(packed)
  if (threads === 0) return new ScoringDispatcher(scorerOf)
  const workerData = { ...worker.data, deployments: packed }
  const pool = new ThreadPool({
    size: threads,
    maxWaiting: threads * waitingPerThread,
    start: () => new Worker(worker.entry, { workerData, env: threadEnv(), resourceLimits: WORKER_LIMITS }),
    onDeath,
  })
  return new ScoringDispatcher(scorerOf, pool, isOneOfSeveral ? 0 : threads * SHARED_WAITING)
}

/** What is known of the feed of a body, and who watches it in this thread; a worker has its own collector. */
export interface FeedOfBody {
  readonly collector?: RecordCollector | undefined
  readonly sample?: WatchSample | undefined
  readonly notices?: readonly FeedNotice[] | undefined
}

/** What answers: a deployment, or the shadow of one. */
type Answering = Pick<Deployment, 'name' | 'scorer'>

/** The scorer of a deployment for a key with codes of its own. */
type ScorerOfKey = (deployment: string, ofKey: KeyCodes) => Scorer

export class ScoringDispatcher {
  private readonly scorerOfKey: ScorerOfKey | undefined
  private readonly pool: ThreadPool | undefined
  private readonly sharedWaiting: number
  private pausedUntil = 0
  private adapterJobs = 0
  private readonly waitingJobs: (() => void)[] = []

  /** While fewer than `sharedWaiting` bodies wait for the pool, it also gets those of medium size. */
  constructor(scorerOfKey?: ScorerOfKey, pool?: ThreadPool, sharedWaiting = 0) {
    this.scorerOfKey = scorerOfKey
    this.pool = pool
    this.sharedWaiting = sharedWaiting
  }

  /** Answers a body, which may be transferred to a worker: the caller must not use it again. `codes` are those of its key. */
  answer(
    deployment: Answering,
    call: Call,
    body: Uint8Array,
    today: number,
    caller?: Caller,
    codes?: KeyCodes,
    { collector, notices: feed, sample }: FeedOfBody = {},
    words?: Words,
  ): BodyAnswer | Promise<BodyAnswer> {
    const { pool } = this
    const watching = { watch: collector, sample, feed }
    const calls = callsOf(this.scorerFor(deployment, codes), call, words)
    if (pool === undefined) {
      const budget = call === 'explain' ? new RequestBudget() : ANSWER_BUDGET
      return { ...calls.body(body, today, budget, watching), observed: collector?.taken() }
    }
    if (this.isForHere(body.length, pool)) {
      const budget = new HereBudget()
      try {
        return { ...calls.body(body, today, budget, watching), observed: collector?.taken() }
      } catch (error) {
        if (!(error instanceof TooExpensive)) throw error
        // So at most a tenth of the time is spent on attempts that are given up.
        const now = performance.now()
        this.pausedUntil = now + PAUSE_FACTOR * (now - budget.startedAt)
      }
    }
    const own = transferable(body)
    const isWatched = collector !== undefined
    const job: ScoringJob = {
      deployment: deployment.name,
      call,
      body: own,
      today,
      codes,
      isWatched,
      sample,
      feed,
      language: words?.language,
    }
    return pool.run<BodyAnswer>(job, [own.buffer], caller?.left)
  }

  /** Answers some lines of a stream. They wait for a worker instead of being refused. */
  answerLines(
    deployment: Answering,
    call: Call,
    lines: Uint8Array,
    today: number,
    place: LinesPlace,
    caller?: Caller,
    codes?: KeyCodes,
    { collector, notices: feed, sample }: FeedOfBody = {},
    words?: Words,
  ): LinesAnswer | Promise<LinesAnswer> {
    const { pool } = this
    const watching = { watch: collector, sample, feed }
    const answerHere = (budget?: HereBudget): LinesAnswer => {
      const answered = answer(lines, today, place, budget, watching)
      return { ...answered, body: lines, isFromWorker: false, observed: collector?.taken() }
    }
    const answer = callsOf(this.scorerFor(deployment, codes), call, words).lines
    if (pool === undefined) return answerHere()
    if (lines.length <= SMALL_BYTES) {
      try {
        return answerHere(new HereBudget())
      } catch (error) {
        if (!(error instanceof TooExpensive)) throw error
      }
    }
    const body = transferable(lines)
    const isWatched = collector !== undefined
    const { name } = deployment
    const language = words?.language
    const job: ScoringJob = {
      deployment: name,
      call,
      body,
      today,
      place,
      codes,
      isWatched,
      sample,
      feed,
      language,
    }
    return pool.runInTurn<LinesAnswer>(job, [body.buffer], caller?.left)
  }

  /**
   * Runs a job of an adapter, whose worker knows it, and takes its body. Without workers `here` does the same. There are as many at a time
   * as workers. The others wait here: in the queue of the workers they would take the places of scoring bodies.
   */
  async run<Answer>(
    job: { readonly body: Uint8Array },
    here: () => Answer,
    caller?: Caller,
  ): Promise<Answer> {
    const { pool, waitingJobs } = this
    if (pool === undefined) return here()
    if (waitingJobs.length >= pool.size * ADAPTER_JOBS_PER_THREAD) throw new AppError('OVERLOADED')
    if (this.adapterJobs >= pool.size) await new Promise<void>((resolve) => waitingJobs.push(resolve))
    else this.adapterJobs++
    try {
      const body = transferable(job.body)
      return await pool.runInTurn<Answer>({ ...job, body }, [body.buffer], caller?.left)
    } finally {
      const next = waitingJobs.shift()
      if (next === undefined) this.adapterJobs--
      else next()
    }
  }

  /** Throws when the workers have no room for a stream. */
  refuseWhenFull(): void {
    if (this.pool?.isFull === true) throw new AppError('OVERLOADED')
  }

  async close(): Promise<void> {
    await this.pool?.close()
  }

  private scorerFor(deployment: Answering, codes: KeyCodes | undefined): Scorer {
    if (codes === undefined) return deployment.scorer
    if (this.scorerOfKey === undefined)
      throw new Error('a dispatcher without scorers for keys got codes of one')
    return this.scorerOfKey(deployment.name, codes)
  }

  private isForHere(bytes: number, { waitingCount }: ThreadPool): boolean {
    if (bytes >= LARGE_BYTES) return false
    if (bytes >= MEDIUM_BYTES && waitingCount < this.sharedWaiting) return false
    return bytes <= SMALL_BYTES || performance.now() >= this.pausedUntil
  }
}

/**
 * The body in a buffer that may be transferred as a whole; what lies after the body in it belongs to nobody. Node keeps small
 * buffers together in a large one, which must not be transferred.
 */
function transferable(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = body
  const isOwn = buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength * 2 >= buffer.byteLength
  return isOwn ? (body as Uint8Array<ArrayBuffer>) : new Uint8Array(body)
}
