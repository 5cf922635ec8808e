/** A worker of the service: answers the bodies of the scoring calls and of the adapters. */
import { workerData } from 'node:worker_threads'
import { type OutcomeJob, type ScoringJob, scoringJobs } from '../http/scoring/scoring-jobs.ts'
import { freeNow, serveJobs } from '@patient-risk/runtime'
import type { AdapterJob, JobData, jobRunner } from './jobs.ts'

const data = workerData as JobData
const answerScoring = scoringJobs(data.deployments)
let answerAdapters: ReturnType<typeof jobRunner> | undefined

serveJobs(async (message, isAbandoned) => {
  const job = message as ScoringJob | OutcomeJob | AdapterJob
  if (!('kind' in job)) return answerScoring(job, isAbandoned)
  // FHIRPath takes most of a second to load, so it waits for the first body that needs it.
  answerAdapters ??= (await import('./jobs.ts')).jobRunner(data)
  const answer = answerAdapters(job, isAbandoned)
  const given = answer.incomplete?.body
  if (given === undefined) freeNow(job.body)
  const transfer = [answer.bytes, ...(given === undefined ? [] : [given])]
  return { answer, transfer: transfer.map(({ buffer }) => buffer as ArrayBuffer) }
})
