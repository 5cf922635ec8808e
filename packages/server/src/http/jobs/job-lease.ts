/**
 * A job belongs to its worker as long as that renews its lease. Every worker that takes it counts its fence up, and only the last one may
 * note progress or publish. So a job goes on elsewhere after any end of a process.
 */
import type { JobStep, StoredJob } from '../../store/jobs/stored-job.ts'
import type { JobSetting } from './job-setting.ts'

const HOUR_MS = 3_600_000

type Progress = NonNullable<JobStep['progress']>

/** Another worker has the job, or it is gone. */
export class JobLost extends Error {}

/** Renews the lease. Throws a JobLost where another worker has the job. */
export function keepJob(setting: JobSetting, job: StoredJob, progress?: Progress): Promise<void> {
  return leaseJob(setting, job, setting.times.leaseMs, progress)
}

/** From the end of the lease on, any worker may take the job. Throws a JobLost where another one has it. */
export async function leaseJob(
  setting: JobSetting,
  { id, fence }: StoredJob,
  leaseMs: number,
  progress?: Progress,
): Promise<void> {
  const { store, clock } = setting.service
  const isOwn = await store.stepJob({
    id,
    fence,
    leaseUntil: clock.now() + leaseMs,
    expiresAt: expiryOf(setting),
    ...(progress === undefined ? {} : { progress }),
  })
  if (!isOwn) throw new JobLost('another worker has the job')
}

/** When a job expires about which something is noted now. */
export function expiryOf({ service, limits }: JobSetting): number {
  return service.clock.now() + limits.keepHours * HOUR_MS
}
