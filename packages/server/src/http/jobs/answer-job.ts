/** Answers the body of a job: lines here, piece by piece, and tables in the process that reads them. */
import type { Deployment } from '@patient-risk/catalog'
import { AppError } from '@patient-risk/runtime'
import type { TallyCounts } from 'patient-risk-engine'
import { parseJson } from 'patient-risk-engine/read'
import type { StoredJob } from '../../store/jobs/stored-job.ts'
import type { ScoredRisks } from '../../store/outcomes/scored-risks.ts'
import { scoredIn } from '../scoring/counted-scores.ts'
import { roomOf, takeRecords, usableKey } from './job-allowance.ts'
import { type JobFile, RESULT_TYPES, factsOf, isTable } from './job-facts.ts'
import { pieceName } from './job-folder.ts'
import { keepJob } from './job-lease.ts'
import type { JobSetting } from './job-setting.ts'
import {
  JobWaits,
  type LineCheckpoint,
  type Taken,
  type WaitingCheckpoint,
  scoreLineJob,
} from './line-job.ts'
import type { TableResult, TableTask } from './table-runner.ts'

/** What came of a job, before it is published. */
export interface JobOutcome {
  readonly tally: TallyCounts
  readonly output: JobFile
  readonly errors: JobFile
  readonly bytesOnDisk: number
  readonly scored: ScoredRisks | undefined
}

/** Goes on from the checkpoint of the job. Throws a JobWaits where its key has no records left. */
export async function answerJob(
  setting: JobSetting,
  job: StoredJob,
  deployment: Deployment,
  key: Uint8Array,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const { service, limits, folder, runner, times } = setting
  const { id, checkpoint } = job
  const facts = factsOf(job)
  const owner = await usableKey(setting, job, deployment)
  const { scoreGroup = null } = facts
  const scored = scoreGroup === null ? undefined : scoredIn(deployment, facts.today, scoreGroup)
  const take = (records: number): Promise<Taken> => takeRecords(setting, job, deployment, records)
  const task: Omit<TableTask, 'work' | 'pieces'> = {
    folder: limits.folder,
    id,
    key,
    deployment: deployment.name,
    digest: deployment.digest,
    today: facts.today,
    codes: facts.codes,
    from: facts.from,
    to: facts.to,
    prefix: `run${job.fence}`,
    mostRecords: limits.records,
    countsRisks: scored !== undefined,
  }
  const from = checkpoint === null ? undefined : (parseJson(checkpoint) as WaitingCheckpoint)
  const onCounted = async (rows: number): Promise<void> => {
    const before = from?.taken ?? 0
    const { records, waitMs } = await take(rows - before)
    if (waitMs > 0) throw new JobWaits({ first: 0, taken: before + records }, waitMs)
  }
  const runTable = (more: Pick<TableTask, 'work' | 'pieces'>): Promise<TableResult> => {
    if (runner?.isAvailable() !== true)
      throw new AppError('MEDIA_TYPE', 'CSV and Parquet need DuckDB, which this instance does not have.')
    return runner.run({ ...task, ...more }, onCounted, signal)
  }
  if (isTable(facts.from)) {
    const pieces = Array.from({ length: facts.pieces }, (_each, piece) => pieceName('in', piece))
    const result = await runTable({ work: 'score', pieces })
    const { tally, output, errors = noErrors(), bytesOnDisk, observed = [] } = result
    const watch = service.feeds.get(deployment.name)
    for (const each of observed) watch?.count(owner.id, each)
    scored?.addCounts(result.riskCounts ?? [])
    return { tally, output, errors, bytesOnDisk, scored }
  }
  let keptAt = performance.now()
  const lines = await scoreLineJob(
    {
      service,
      deployment,
      folder,
      id,
      key,
      keyId: owner.id,
      facts,
      signal,
      scored,
      mostBytes: await roomOf(setting, job),
      take,
      keep: async (reached) => {
        if (performance.now() - keptAt < times.keepEveryMs) return
        await folder.sync(id)
        await keepJob(setting, job, {
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

function noErrors(): JobFile {
  return { name: 'errors.ndjson', type: RESULT_TYPES.ndjson, count: 0, bytes: 0, digest: '', pieces: [] }
}
