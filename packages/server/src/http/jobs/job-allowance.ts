/** What a job may use of its key: the right to be answered, records of the quota, and room for results. */
import type { Deployment } from '@patient-risk/catalog'
import { AppError } from '@patient-risk/runtime'
import type { StoredJob } from '../../store/jobs/stored-job.ts'
import { mayUse } from '../../store/keys/keys.ts'
import type { StoredKey } from '../../store/store.ts'
import type { JobSetting } from './job-setting.ts'
import type { Taken } from './line-job.ts'

const KEY_GONE = 'The API key of the job was revoked, has expired, or may not use the deployment any more.'

/** The key that submitted the job, or the one that has replaced it. A job ends with the right to be answered. */
export async function usableKey(
  { service }: JobSetting,
  { keyId, owner }: StoredJob,
  { name }: Deployment,
): Promise<StoredKey> {
  const { keyCache, clock, store } = service
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
export async function takeRecords(
  setting: JobSetting,
  job: StoredJob,
  deployment: Deployment,
  records: number,
): Promise<Taken> {
  const key = await usableKey(setting, job, deployment)
  for (let taken = 0; taken < records;) {
    const { granted, waitMs } = await setting.service.quota.takeForJob(key, deployment, records - taken)
    taken += granted
    if (waitMs > 0) return { records: taken, waitMs }
  }
  return { records, waitMs: 0 }
}

/** The bytes that the results of a job may take: what the other jobs of its owner leave. */
export async function roomOf({ service, limits }: JobSetting, { id, owner }: StoredJob): Promise<number> {
  const others = (await service.store.listJobs()).filter((each) => each.owner === owner && each.id !== id)
  return others.reduce((left, { bytes }) => left - bytes, limits.bytesPerKey)
}
