/** A thread of the lane: compiles what it was given, and answers bodies. */
import { workerData } from 'node:worker_threads'
import { type PortableDeployments, unpackScorers } from '../../catalog/portable.ts'
import type { Answered } from '../../threads/message.ts'
import { serveJobs } from '../../threads/serve-jobs.ts'
import type { LaneAnswer, LaneJob } from './job.ts'

const scorerOf = unpackScorers(workerData as PortableDeployments)

serveJobs<LaneJob>((job): Answered => {
  const answer = answerOf(job)
  return { answer, transfer: [answer.bytes.buffer as ArrayBuffer] }
})

function answerOf(job: LaneJob): LaneAnswer {
  const scorer = scorerOf(job.deployment)
  if (job.kind === 'body') {
    const { bytes, tally } = scorer[job.call](job.body, job.today)
    return { bytes: owned(bytes), tally }
  }
  const { bytes, tally, idxs } = scorer.lines[job.call](job.body, job.today, job)
  return { bytes: owned(bytes), tally, idxs }
}

/** Only a buffer that holds nothing else may change hands. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
}
