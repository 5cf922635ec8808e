/** Ends a job: its state, its audit row and the counts of its risks are one transaction of the last worker that took it. */
import type { Deployment } from '@patient-risk/catalog'
import { type AppError, isoTime } from '@patient-risk/runtime'
import type { TallyCounts } from 'patient-risk-engine'
import { groupEntries } from '../../store/audit/audit-row.ts'
import type { StoredJob } from '../../store/jobs/stored-job.ts'
import type { ScoredRisks } from '../../store/outcomes/scored-risks.ts'
import type { JobOutcome } from './answer-job.ts'
import { type DoneAnswer, type FailedAnswer, factsOf, sealAnswer } from './job-facts.ts'
import { JobLost, expiryOf } from './job-lease.ts'
import type { JobSetting } from './job-setting.ts'

/** Publishes the results. Only then the body and the pieces of the work are removed. */
export async function publishJob(
  setting: JobSetting,
  job: StoredJob,
  deployment: Deployment,
  key: Uint8Array,
  { tally, output, errors, bytesOnDisk, scored: risks }: JobOutcome,
  startedAt: number,
): Promise<void> {
  const { service, folder } = setting
  const answer: DoneAnswer = {
    records: tally.records,
    scored: tally.scored,
    output: output.count === 0 ? [] : [output],
    error: errors.count === 0 ? [] : [errors],
  }
  const kept = new Set([...answer.output, ...answer.error].flatMap(({ pieces }) => pieces))
  await folder.sync(job.id)
  // The risks are counted in the transaction of this audit row. Only one worker can end a job, so they are counted once.
  const ended = { state: 'done', answer, key, tally, bytes: bytesOnDisk, scored: risks } as const
  await endJob(setting, job, deployment, ended)
  await folder.removePieces(job.id, (name) => !kept.has(name))
  service.metrics.countJob(deployment.name, 'done', tally)
  const seconds = (performance.now() - startedAt) / 1000
  const { records, scored } = tally
  service.log.info({
    event: 'job-done',
    job: job.id,
    deployment: deployment.name,
    records,
    scored,
    seconds,
  })
}

export async function failJob(
  setting: JobSetting,
  job: StoredJob,
  deployment: Deployment | undefined,
  key: Uint8Array | undefined,
  { code, detail }: AppError,
): Promise<void> {
  const { service, folder } = setting
  const ended = { state: 'failed', answer: { code, reason: detail }, key, bytes: 0 } as const
  await endJob(setting, job, deployment, ended)
  await folder.remove(job.id)
  service.metrics.countJob(job.deployment, 'failed')
  service.log.info({ event: 'job-failed', job: job.id, deployment: job.deployment, code })
}

interface Ended {
  readonly state: 'done' | 'failed'
  readonly answer: DoneAnswer | FailedAnswer
  readonly key: Uint8Array | undefined
  readonly bytes: number
  readonly tally?: TallyCounts
  readonly scored?: ScoredRisks | undefined
}

async function endJob(
  setting: JobSetting,
  job: StoredJob,
  deployment: Deployment | undefined,
  { state, answer, key, tally, bytes, scored }: Ended,
): Promise<void> {
  const { store, clock, recorder } = setting.service
  const { id, fence } = job
  const { requestId, today, codes } = factsOf(job)
  const isOwn = await store.endJob({
    id,
    fence,
    state,
    expiresAt: expiryOf(setting),
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
