/** A worker of the adapters: reads and answers bodies. */
import { workerData } from 'node:worker_threads'
import { serveJobs } from '../workers/pool.ts'
import { type AdapterJob, type JobData, jobRunner } from './jobs.ts'

const run = jobRunner(workerData as JobData)

serveJobs((job) => {
  const answer = run(job as AdapterJob)
  return { answer, transfer: [answer.bytes.buffer as ArrayBuffer] }
})
