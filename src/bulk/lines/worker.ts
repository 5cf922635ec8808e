/** A thread of a run: a piece of the file in, its results out. */
import { workerData } from 'node:worker_threads'
import { unpackScorers } from '../../catalog/portable.ts'
import type { Answered } from '../../workers/message.ts'
import { serveJobs } from '../../workers/serve-jobs.ts'
import { makeChunkScorer } from './score-chunk.ts'
import type { ChunkJob, Task } from './task.ts'

const task = workerData as Task
const scoreChunk = makeChunkScorer(task, unpackScorers(task.portable)(task.deployment).lines.score)

serveJobs((given): Promise<Answered> => {
  const answer = scoreChunk(given as ChunkJob)
  if ('bad' in answer) return Promise.resolve({ answer, transfer: [] })
  const { output, errors, idxs, risks, chunk } = answer
  const buffers = [output.buffer, errors.buffer, idxs.buffer, risks.buffer, chunk.bytes.buffer]
  return Promise.resolve({ answer, transfer: [...new Set(buffers)] as ArrayBuffer[] })
})
