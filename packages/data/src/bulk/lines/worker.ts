/** A thread of a run: a chunk of the file in, its results out. */
import { workerData } from 'node:worker_threads'
import { unpackScorers } from '@patient-risk/catalog'
import { serveJobs } from '@patient-risk/runtime'
import { type ChunkJob, type Task, scoreChunk } from './score-chunk.ts'

const task = workerData as Task
const score = unpackScorers(task.portable)(task.deployment).linesWith(task.parts)

serveJobs((job) => {
  const answer = scoreChunk(task, score, job as ChunkJob)
  if ('bad' in answer) return { answer, transfer: [] }
  const { output, idxs, risks, chunk } = answer
  const buffers = new Set([output, idxs, risks, chunk.bytes].map(({ buffer }) => buffer as ArrayBuffer))
  return { answer, transfer: [...buffers] }
})
