/** Runs a job that a worker has taken: answers it under its lease, and publishes the results, fails it or leaves it for later. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@patient-risk/catalog'
import { AppError, StoreError, appErrorOf, describeBug, openDataKey } from '@patient-risk/runtime'
import type { StoredJob } from '../../store/jobs/stored-job.ts'
import { answerJob } from './answer-job.ts'
import { failJob, publishJob } from './end-job.ts'
import { factsOf, isTable } from './job-facts.ts'
import { isOfDisk } from './job-folder.ts'
import { JobLost, keepJob, leaseJob } from './job-lease.ts'
import type { JobSetting } from './job-setting.ts'
import { JobWaits } from './line-job.ts'

/** How often a job may be begun without coming further: it may be what ends the process. Tables are read in another process. */
const MOST_TRIES = { lines: 10, table: 100 }

/** Failures of the service, which pass: the job goes on later. */
const PASSING: ReadonlySet<string> = new Set([
  'WORKER_LOST',
  'OVERLOADED',
  'DRAINING',
  'STORE_UNAVAILABLE',
  'AUDIT_UNAVAILABLE',
])

const NO_SECRET = 'The key of the job was sealed with a secret that the service does not have any more.'
const WITHDRAWN =
  'No instance serves the state of the deployment that the job was submitted to. Submit the records again.'
const NEVER_ENDED =
  'The job was begun many times and did not come further. Submit the records in several jobs.'

/** `deployment` is undefined where no instance serves the state that the job was submitted to. */
export async function runJob(
  setting: JobSetting,
  job: StoredJob,
  deployment: Deployment | undefined,
): Promise<void> {
  const { service, times, stopping } = setting
  const { id } = job
  const lost = new AbortController()
  const signal = AbortSignal.any([lost.signal, stopping])
  const heart = setInterval(() => {
    keepJob(setting, job).catch((error: unknown) => {
      // A store that does not answer may answer before the lease is over; then the fence decides.
      if (error instanceof JobLost) lost.abort(error)
    })
  }, times.leaseMs / 3)
  const startedAt = performance.now()
  try {
    const key = openDataKey(service.secrets.all, job.sealedKey, id)
    if (key === undefined) {
      await failJob(setting, job, deployment, undefined, new AppError('JOB_FAILED', NO_SECRET))
      return
    }
    try {
      if (deployment === undefined) throw new AppError('DEPLOYMENT_CHANGED', WITHDRAWN)
      const kind = isTable(factsOf(job).from) ? 'table' : 'lines'
      if (job.tries > MOST_TRIES[kind]) throw new AppError('JOB_FAILED', NEVER_ENDED)
      const outcome = await answerJob(setting, job, deployment, key, signal)
      signal.throwIfAborted()
      await publishJob(setting, job, deployment, key, outcome, startedAt)
    } catch (error) {
      await settleFailure(setting, job, deployment, key, error, signal)
    }
  } catch (error) {
    if (!(error instanceof JobLost)) {
      service.log.error({ event: 'job-not-ended', job: id, ...describeBug(error) })
      await pause(setting)
    }
  } finally {
    clearInterval(heart)
  }
}

/** What to do after something was thrown: give the job back, try it again later, or end it. */
async function settleFailure(
  setting: JobSetting,
  job: StoredJob,
  deployment: Deployment | undefined,
  key: Uint8Array,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { folder, stopping } = setting
  const { store, log, clock } = setting.service
  const { id, fence } = job
  if (stopping.aborted) {
    await store.releaseJob(id, fence)
    return
  }
  const now = await store.findJob(id)
  if (now === undefined) {
    // It was deleted meanwhile: nothing of it may stay.
    await folder.remove(id)
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
    await leaseJob(setting, job, waitMs, progress)
    return
  }
  const refusal = appErrorOf(error)
  const isFull = isOfDisk(error)
  if (isFull || error instanceof StoreError || (refusal !== undefined && PASSING.has(refusal.code))) {
    if (isFull) log.warn({ event: 'jobs-disk', job: id, code: (error as NodeJS.ErrnoException).code })
    await pause(setting)
    // What the job itself cannot have caused is no try of it. A table is read from its beginning each time, so its tries count.
    const isOthers = refusal?.code !== 'WORKER_LOST' && !isTable(factsOf(job).from)
    if (isOthers) await store.releaseJob(id, fence)
    // It may be taken again from now on.
    else await store.stepJob({ id, fence, leaseUntil: clock.now(), expiresAt: now.expiresAt })
    return
  }
  if (refusal === undefined) log.error({ event: 'bug', job: id, ...describeBug(error) })
  await failJob(setting, job, deployment, key, refusal ?? new AppError('JOB_FAILED'))
}

/** After a failure that passes. It ends when the service stops. */
async function pause({ times, stopping }: JobSetting): Promise<void> {
  await sleep(times.pauseMs, undefined, { signal: stopping }).catch(() => undefined)
}
