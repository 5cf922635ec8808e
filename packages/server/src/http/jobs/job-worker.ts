/**
 * Works on jobs, one at a time in each process. A job belongs to its worker as long as that renews its lease; every worker that takes it
 * counts its fence up, and only the last one may note progress or publish. So a job goes on elsewhere after any end of a process.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@patient-risk/catalog'
import type { JobSettings } from '@patient-risk/catalog/config'
import { AppError, StoreError, appErrorOf, describeBug, isoTime, openDataKey } from '@patient-risk/runtime'
import type { TallyCounts } from 'patient-risk-engine'
import { parseJson } from 'patient-risk-engine/read'
import type { JobStep, StoredJob } from '../../store/jobs/stored-job.ts'
import { mayUse } from '../../store/keys/keys.ts'
import { groupEntries } from '../../store/audit/audit-row.ts'
import type { ScoredRisks } from '../../store/outcomes/scored-risks.ts'
import type { StoredKey } from '../../store/store.ts'
import { scoredIn } from '../scoring/counted-scores.ts'
import type { Service } from '../service.ts'
import {
  type DoneAnswer,
  type FailedAnswer,
  type JobFile,
  RESULT_TYPES,
  factsOf,
  isTable,
  sealAnswer,
} from './job-facts.ts'
import { type JobFolder, isOfDisk, pieceName } from './job-folder.ts'
import {
  JobWaits,
  type LineCheckpoint,
  type Taken,
  type WaitingCheckpoint,
  scoreLineJob,
} from './line-job.ts'
import type { WorkerOptions } from './jobs-options.ts'
import type { TableResult, TableRunner, TableTask } from './table-runner.ts'

const HOUR_MS = 3_600_000
const POLL_MS = 2_000
const SWEEP_MS = 60_000
const LEASE_MS = 15_000
/** How often a job notes how far it has come. What came after that is done again elsewhere. */
const KEEP_EVERY_MS = 250
const PAUSE_MS = 2_000
/** A job that nobody can answer, since no instance serves its state of the deployment any more, fails after this time. */
const LOST_AFTER_MS = 3_600_000
/** How often a job may be begun without coming further: it may be what ends the process. Tables are read in another process. */
const MOST_TRIES = { lines: 10, table: 100 }

/** Another worker has the job, or it is gone. */
class JobLost extends Error {}

/** Failures of the service, which pass: the job goes on later. */
const PASSING: ReadonlySet<string> = new Set([
  'WORKER_LOST',
  'OVERLOADED',
  'DRAINING',
  'STORE_UNAVAILABLE',
  'AUDIT_UNAVAILABLE',
])

type WorkerParts = Pick<
  Service,
  | 'store'
  | 'secrets'
  | 'clock'
  | 'log'
  | 'metrics'
  | 'deployments'
  | 'dispatcher'
  | 'load'
  | 'feeds'
  | 'quota'
  | 'keyCache'
  | 'recorder'
>

type Progress = NonNullable<JobStep['progress']>

/** What came of a job, before it is published. */
interface Outcome {
  readonly tally: TallyCounts
  readonly output: JobFile
  readonly errors: JobFile
  readonly bytesOnDisk: number
  readonly scored: ScoredRisks | undefined
}

export class JobWorker {
  private readonly parts: WorkerParts
  private readonly folder: JobFolder
  private readonly folderPath: string
  private readonly keepMs: number
  private readonly mostRecords: number
  private readonly bytesPerKey: number
  private readonly runner: TableRunner | undefined
  private readonly options: Required<WorkerOptions>
  private readonly stopping = new AbortController()
  private loop: Promise<void> | undefined
  private wakeUp: () => void = () => undefined
  private isWoken = false
  private sweptAt = -Infinity
  /** Whose job was worked on last. */
  private lastOwner = ''

  constructor(
    parts: WorkerParts,
    settings: Pick<JobSettings, 'folder' | 'keepHours' | 'records' | 'bytesPerKey'>,
    folder: JobFolder,
    runner: TableRunner | undefined,
    options: WorkerOptions = {},
  ) {
    this.parts = parts
    this.folder = folder
    this.folderPath = settings.folder
    this.keepMs = settings.keepHours * HOUR_MS
    this.mostRecords = settings.records
    this.bytesPerKey = settings.bytesPerKey
    this.runner = runner
    const { leaseMs = LEASE_MS, pollMs = POLL_MS, keepEveryMs = KEEP_EVERY_MS, pauseMs = PAUSE_MS } = options
    this.options = { leaseMs, pollMs, keepEveryMs, pauseMs }
  }

  start(): void {
    this.loop ??= this.work()
  }

  /** A job has come. */
  wake(): void {
    this.isWoken = true
    this.wakeUp()
  }

  /** Gives back the job that is under way; another instance goes on with it. */
  async stop(): Promise<void> {
    this.stopping.abort(new JobLost('the service is stopping'))
    this.wakeUp()
    await this.loop
  }

  private async work(): Promise<void> {
    const { log } = this.parts
    while (!this.stopping.signal.aborted) {
      try {
        await this.sweep()
        if (await this.runNext()) continue
      } catch (error) {
        log.error({ event: 'jobs-failed', ...describeBug(error) })
      }
      await this.pause()
    }
  }

  private async pause(): Promise<void> {
    if (this.isWoken || this.stopping.signal.aborted) {
      this.isWoken = false
      // Without a wait a job that cannot be taken would be tried again and again.
      await sleep(1)
      return
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.options.pollMs).unref()
      this.wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.wakeUp = () => undefined
    this.isWoken = false
  }

  /** Removes jobs whose time is over, and what ended jobs and processes have left. */
  private async sweep(): Promise<void> {
    const steady = performance.now()
    if (steady - this.sweptAt < Math.min(SWEEP_MS, 10 * this.options.pollMs)) return
    this.sweptAt = steady
    const { store, clock, metrics } = this.parts
    for (const { id, deployment, state } of await store.removeExpiredJobs(clock.now())) {
      await this.folder.remove(id)
      metrics.countJob(deployment, state === 'done' || state === 'failed' ? 'expired' : 'never-done')
    }
    const jobs = await store.listJobs()
    await this.folder.removeUnknown(new Set(jobs.map(({ id }) => id)), Date.now())
    for (const { id, state } of jobs)
      if (state === 'done' || state === 'failed') await this.folder.removePieces(id, isWork)
  }

  /** Returns whether there was a job. */
  private async runNext(): Promise<boolean> {
    const { store, clock, deployments } = this.parts
    const ready = deployments.filter(({ model }) => model.selfCheckFailures.length === 0)
    const now = clock.now()
    const until = now + this.options.leaseMs
    const digests = ready.map(digestOf)
    const own = ready.length === 0 ? undefined : await store.claimJob(digests, now, until, this.lastOwner)
    const job = own ?? (await store.claimLostJob(now - LOST_AFTER_MS, now, until))
    if (job === undefined) return false
    this.lastOwner = job.owner
    const deployment = ready.find(({ name, digest }) => name === job.deployment && digest === job.digest)
    await this.run(job, deployment)
    return true
  }

  private async run(job: StoredJob, deployment: Deployment | undefined): Promise<void> {
    const { log } = this.parts
    const { id } = job
    const lost = new AbortController()
    const signal = AbortSignal.any([lost.signal, this.stopping.signal])
    const heart = setInterval(() => {
      this.step(job).catch((error: unknown) => {
        // A store that does not answer may answer before the lease is over; then the fence decides.
        if (error instanceof JobLost) lost.abort(error)
      })
    }, this.options.leaseMs / 3)
    const startedAt = performance.now()
    try {
      const key = openDataKey(this.parts.secrets.all, job.sealedKey, id)
      if (key === undefined) {
        await this.fail(job, deployment, undefined, new AppError('JOB_FAILED', NO_SECRET))
        return
      }
      try {
        if (deployment === undefined) throw new AppError('DEPLOYMENT_CHANGED', WITHDRAWN)
        const kind = isTable(factsOf(job).from) ? 'table' : 'lines'
        if (job.tries > MOST_TRIES[kind]) throw new AppError('JOB_FAILED', NEVER_ENDED)
        const outcome = await this.answer(job, deployment, key, signal)
        signal.throwIfAborted()
        await this.publish(job, deployment, key, outcome, startedAt)
      } catch (error) {
        await this.settle(job, deployment, key, error, signal)
      }
    } catch (error) {
      if (!(error instanceof JobLost)) {
        log.error({ event: 'job-not-ended', job: id, ...describeBug(error) })
        await sleep(this.options.pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined)
      }
    } finally {
      clearInterval(heart)
    }
  }

  /** What to do after something was thrown: give the job back, try it again later, or end it. */
  private async settle(
    job: StoredJob,
    deployment: Deployment | undefined,
    key: Uint8Array,
    error: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, log } = this.parts
    const { id, fence } = job
    if (this.stopping.signal.aborted) {
      await store.releaseJob(id, fence)
      return
    }
    const now = await store.findJob(id)
    if (now === undefined) {
      // It was deleted meanwhile: nothing of it may stay.
      await this.folder.remove(id)
      throw new JobLost('the job was deleted')
    }
    if (signal.aborted || now.fence !== fence) throw new JobLost('another worker has the job')
    if (error instanceof JobWaits) {
      const { checkpoint, waitMs } = error
      const progress = {
        done: checkpoint.first,
        records: job.records,
        checkpoint: JSON.stringify(checkpoint),
      }
      await this.lease(job, waitMs, progress)
      return
    }
    const refusal = appErrorOf(error)
    const isFull = isOfDisk(error)
    if (isFull || error instanceof StoreError || (refusal !== undefined && PASSING.has(refusal.code))) {
      if (isFull) log.warn({ event: 'jobs-disk', job: id, code: (error as NodeJS.ErrnoException).code })
      await sleep(this.options.pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined)
      // What the job itself cannot have caused is no try of it. A table is read from its beginning each time, so its tries count.
      const isOthers = refusal?.code !== 'WORKER_LOST' && !isTable(factsOf(job).from)
      if (isOthers) await store.releaseJob(id, fence)
      // It may be taken again from now on.
      else await store.stepJob({ id, fence, leaseUntil: this.parts.clock.now(), expiresAt: now.expiresAt })
      return
    }
    if (refusal === undefined) log.error({ event: 'bug', job: id, ...describeBug(error) })
    await this.fail(job, deployment, key, refusal ?? new AppError('JOB_FAILED'))
  }

  private async answer(
    job: StoredJob,
    deployment: Deployment,
    key: Uint8Array,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { id, checkpoint } = job
    const facts = factsOf(job)
    const owner = await this.usableKey(job, deployment)
    const { scoreGroup = null } = facts
    const scored = scoreGroup === null ? undefined : scoredIn(deployment, facts.today, scoreGroup)
    const take = (records: number): Promise<Taken> => this.takeRecords(job, deployment, records)
    const task: Omit<TableTask, 'work' | 'pieces'> = {
      folder: this.folderPath,
      id,
      key,
      deployment: deployment.name,
      digest: deployment.digest,
      today: facts.today,
      codes: facts.codes,
      from: facts.from,
      to: facts.to,
      prefix: `run${job.fence}`,
      mostRecords: this.mostRecords,
      countsRisks: scored !== undefined,
    }
    const from = checkpoint === null ? undefined : (parseJson(checkpoint) as WaitingCheckpoint)
    const onCounted = async (rows: number): Promise<void> => {
      const before = from?.taken ?? 0
      const { records, waitMs } = await take(rows - before)
      if (waitMs > 0) throw new JobWaits({ first: 0, taken: before + records }, waitMs)
    }
    const runTable = (more: Pick<TableTask, 'work' | 'pieces'>): Promise<TableResult> => {
      if (this.runner?.isAvailable() !== true)
        throw new AppError('MEDIA_TYPE', 'CSV and Parquet need DuckDB, which this instance does not have.')
      return this.runner.run({ ...task, ...more }, onCounted, signal)
    }
    if (isTable(facts.from)) {
      const pieces = Array.from({ length: facts.pieces }, (_each, piece) => pieceName('in', piece))
      const result = await runTable({ work: 'score', pieces })
      const { tally, output, errors = noErrors(), bytesOnDisk, observed = [] } = result
      const watch = this.parts.feeds.get(deployment.name)
      for (const each of observed) watch?.count(owner.id, each)
      scored?.addCounts(result.riskCounts ?? [])
      return { tally, output, errors, bytesOnDisk, scored }
    }
    let keptAt = performance.now()
    const lines = await scoreLineJob(
      {
        service: this.parts,
        deployment,
        folder: this.folder,
        id,
        key,
        keyId: owner.id,
        facts,
        signal,
        scored,
        mostBytes: await this.roomOf(job),
        take,
        keep: async (reached) => {
          if (performance.now() - keptAt < this.options.keepEveryMs) return
          await this.folder.sync(id)
          await this.step(job, {
            done: reached.first,
            records: job.records,
            checkpoint: JSON.stringify(reached),
          })
          keptAt = performance.now()
        },
      },
      from as LineCheckpoint | undefined,
    )
    if (facts.to === 'ndjson') return { ...lines, scored }
    const converted = await runTable({ work: 'convert', pieces: lines.output.pieces })
    const bytesOnDisk = lines.bytesOnDisk + converted.bytesOnDisk
    return { ...lines, output: converted.output, bytesOnDisk, scored }
  }

  /** Keeps the lease. */
  private step(job: StoredJob, progress?: Progress): Promise<void> {
    return this.lease(job, this.options.leaseMs, progress)
  }

  /** From the end of the lease on, any worker may take the job. Throws a JobLost where another one has it. */
  private async lease({ id, fence }: StoredJob, leaseMs: number, progress?: Progress): Promise<void> {
    const now = this.parts.clock.now()
    const isOwn = await this.parts.store.stepJob({
      id,
      fence,
      leaseUntil: now + leaseMs,
      expiresAt: now + this.keepMs,
      ...(progress === undefined ? {} : { progress }),
    })
    if (!isOwn) throw new JobLost('another worker has the job')
  }

  /** The key that submitted the job, or the one that has replaced it. A job ends with the right to be answered. */
  private async usableKey({ keyId, owner }: StoredJob, { name }: Deployment): Promise<StoredKey> {
    const { keyCache, clock, store } = this.parts
    const now = clock.now()
    const own = await keyCache.find(keyId, now)
    if (own !== undefined && mayUse(own, name)) return own
    for (const { id } of await store.listKeys()) {
      const key = await keyCache.find(id, now)
      if (key !== undefined && mayUse(key, name) && (await keyCache.firstIdOf(key)) === owner) return key
    }
    throw new AppError('KEY_INVALID', KEY_GONE)
  }

  /** Counts records against the quota of the key, as many as may be had now. */
  private async takeRecords(job: StoredJob, deployment: Deployment, records: number): Promise<Taken> {
    const key = await this.usableKey(job, deployment)
    for (let taken = 0; taken < records;) {
      const { granted, waitMs } = await this.parts.quota.takeForJob(key, deployment, records - taken)
      taken += granted
      if (waitMs > 0) return { records: taken, waitMs }
    }
    return { records, waitMs: 0 }
  }

  /** The bytes that the results of a job may take: what the other jobs of its owner leave. */
  private async roomOf({ id, owner }: StoredJob): Promise<number> {
    const others = (await this.parts.store.listJobs()).filter(
      (each) => each.owner === owner && each.id !== id,
    )
    return others.reduce((left, { bytes }) => left - bytes, this.bytesPerKey)
  }

  private async publish(
    job: StoredJob,
    deployment: Deployment,
    key: Uint8Array,
    { tally, output, errors, bytesOnDisk, scored: risks }: Outcome,
    startedAt: number,
  ): Promise<void> {
    const { metrics, log } = this.parts
    const answer: DoneAnswer = {
      records: tally.records,
      scored: tally.scored,
      output: output.count === 0 ? [] : [output],
      error: errors.count === 0 ? [] : [errors],
    }
    const kept = new Set([...answer.output, ...answer.error].flatMap(({ pieces }) => pieces))
    await this.folder.sync(job.id)
    // The risks are counted with this row, as those of the scoring call are with theirs: once, by whoever ends the job.
    await this.end(job, deployment, { state: 'done', answer, key, tally, bytes: bytesOnDisk, scored: risks })
    await this.folder.removePieces(job.id, (name) => !kept.has(name))
    metrics.countJob(deployment.name, 'done', tally)
    const seconds = (performance.now() - startedAt) / 1000
    const { records, scored } = tally
    log.info({ event: 'job-done', job: job.id, deployment: deployment.name, records, scored, seconds })
  }

  private async fail(
    job: StoredJob,
    deployment: Deployment | undefined,
    key: Uint8Array | undefined,
    { code, detail }: AppError,
  ): Promise<void> {
    await this.end(job, deployment, { state: 'failed', answer: { code, reason: detail }, key, bytes: 0 })
    await this.folder.remove(job.id)
    this.parts.metrics.countJob(job.deployment, 'failed')
    this.parts.log.info({ event: 'job-failed', job: job.id, deployment: job.deployment, code })
  }

  private async end(
    job: StoredJob,
    deployment: Deployment | undefined,
    ended: {
      readonly state: 'done' | 'failed'
      readonly answer: DoneAnswer | FailedAnswer
      readonly key: Uint8Array | undefined
      readonly bytes: number
      readonly tally?: TallyCounts
      readonly scored?: ScoredRisks | undefined
    },
  ): Promise<void> {
    const { store, clock, recorder } = this.parts
    const { state, answer, key, tally, bytes, scored } = ended
    const { id, fence } = job
    const { requestId, today, codes } = factsOf(job)
    const isOwn = await store.endJob({
      id,
      fence,
      state,
      expiresAt: clock.now() + this.keepMs,
      bytes,
      done: tally?.records ?? job.done,
      answer: key === undefined ? new Uint8Array() : sealAnswer(id, key, answer),
      row: groupEntries([
        recorder.entryOfJob({
          at: clock.now(),
          submitted: isoTime(job.createdAt),
          requestId,
          keyId: job.keyId,
          subject: `job ${id}`,
          code: 'code' in answer ? answer.code : undefined,
          tally,
          scored,
          today,
          codes: codes ?? undefined,
          deployment,
        }),
      ]),
    })
    if (!isOwn) throw new JobLost('another worker has the job')
  }
}

const NO_SECRET = 'The key of the job was sealed with a secret that the service does not have any more.'
const WITHDRAWN =
  'No instance serves the state of the deployment that the job was submitted to. Submit the records again.'
const NEVER_ENDED =
  'The job was begun many times and did not come further. Submit the records in several jobs.'
const KEY_GONE = 'The API key of the job was revoked, has expired, or may not use the deployment any more.'

/** Pieces that only a job under way needs. */
function isWork(name: string): boolean {
  return /^(in|idx)-/.test(name)
}

function digestOf({ digest }: Deployment): string {
  return digest
}

function noErrors(): JobFile {
  return { name: 'errors.ndjson', type: RESULT_TYPES.ndjson, count: 0, bytes: 0, digest: '', pieces: [] }
}
