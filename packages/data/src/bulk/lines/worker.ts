/** A thread of a run: a chunk of the file in, its results out. */
import { workerData } from 'node:worker_threads'
import { unpackScorers } from '@patient-risk/catalog'
import { RecordCollector } from '@patient-risk/monitor'
import { serveJobs } from '@patient-risk/runtime'
import { type ChunkJob, type Task, scoreChunk } from './score-chunk.ts'

const task = workerData as Task
const score = unpackScorers(task.portable)(task.deployment).linesWith(task.parts, task.words)

const entry = task.portable.deployments.find(({ name }) => name === task.deployment)
if (entry === undefined) throw new Error('a thread was not given its deployment')
const { definitions } = task.portable
const collector = new RecordCollector({
  definitions,
  model: entry.model,
  conversions: entry.options.conversions,
})

serveJobs((job) => {
  const answer = scoreChunk(task, score, collector, job as ChunkJob)
  if ('bad' in answer) return { answer, transfer: [] }
  const { output, idxs, risks, chunk } = answer
  const buffers = new Set([output, idxs, risks, chunk.bytes].map(({ buffer }) => buffer as ArrayBuffer))
  return { answer, transfer: [...buffers] }
})
