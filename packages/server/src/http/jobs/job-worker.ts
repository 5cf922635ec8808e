/** Takes jobs, one at a time in each process, and removes those whose time is over. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@patient-risk/catalog'
import { describeBug } from '@patient-risk/runtime'
import type { JobFolder } from './job-folder.ts'
import { JobLost } from './job-lease.ts'
import type { JobSetting, WorkerParts } from './job-setting.ts'
import type { WorkerOptions } from './jobs-options.ts'
import { runJob } from './run-job.ts'
import type { TableRunner } from './table-runner.ts'

const POLL_MS = 2_000
const SWEEP_MS = 60_000
const LEASE_MS = 15_000
/** How often a job notes how far it has come. What came after that is done again elsewhere. */
const KEEP_EVERY_MS = 250
const PAUSE_MS = 2_000
/** A job that nobody can answer, since no instance serves its state of the deployment any more, fails after this time. */
const LOST_AFTER_MS = 3_600_000

export class JobWorker {
  private readonly setting: JobSetting
  private readonly stopping = new AbortController()
  private loop: Promise<void> | undefined
  private wakeUp: () => void = () => undefined
  private isWoken = false
  private sweptAt = -Infinity
  /** Whose job was worked on last. */
  private lastOwner = ''

  constructor(
    service: WorkerParts,
    limits: JobSetting['limits'],
    folder: JobFolder,
    runner: TableRunner | undefined,
    options: WorkerOptions = {},
  ) {
    const { leaseMs = LEASE_MS, pollMs = POLL_MS, keepEveryMs = KEEP_EVERY_MS, pauseMs = PAUSE_MS } = options
    const times = { leaseMs, pollMs, keepEveryMs, pauseMs }
    this.setting = { service, limits, folder, runner, times, stopping: this.stopping.signal }
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
    const { log } = this.setting.service
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
      const timer = setTimeout(resolve, this.setting.times.pollMs).unref()
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
    const { service, folder, times } = this.setting
    const steady = performance.now()
    if (steady - this.sweptAt < Math.min(SWEEP_MS, 10 * times.pollMs)) return
    this.sweptAt = steady
    const { store, clock, metrics } = service
    for (const { id, deployment, state } of await store.removeExpiredJobs(clock.now())) {
      await folder.remove(id)
      metrics.countJob(deployment, state === 'done' || state === 'failed' ? 'expired' : 'never-done')
    }
    const jobs = await store.listJobs()
    await folder.removeUnknown(new Set(jobs.map(({ id }) => id)), Date.now())
    for (const { id, state } of jobs)
      if (state === 'done' || state === 'failed') await folder.removePieces(id, isWork)
  }

  /** Returns whether there was a job. */
  private async runNext(): Promise<boolean> {
    const { service, times } = this.setting
    const { store, clock, deployments } = service
    const ready = deployments.filter(({ model }) => model.selfCheckFailures.length === 0)
    const now = clock.now()
    const until = now + times.leaseMs
    const digests = ready.map(digestOf)
    const own = ready.length === 0 ? undefined : await store.claimJob(digests, now, until, this.lastOwner)
    const job = own ?? (await store.claimLostJob(now - LOST_AFTER_MS, now, until))
    if (job === undefined) return false
    this.lastOwner = job.owner
    const deployment = ready.find(({ name, digest }) => name === job.deployment && digest === job.digest)
    await runJob(this.setting, job, deployment)
    return true
  }
}

/** Pieces that only a job under way needs. */
function isWork(name: string): boolean {
  return /^(in|idx)-/.test(name)
}

function digestOf({ digest }: Deployment): string {
  return digest
}
