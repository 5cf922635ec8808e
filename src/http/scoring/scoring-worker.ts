/** A worker of the queue: compiles the deployments that it is given, and answers bodies. */
import { workerData } from 'node:worker_threads'
import { type PortableDeployments, unpackScorers } from '../../catalog/portable.ts'
import { digestOf } from '../../digest.ts'
import { serveJobs } from '../../workers/pool.ts'
import { ANSWER_BUDGET, type BodyAnswer, type LinesAnswer, type ScoringJob } from './worker-queue.ts'

const scorerOf = unpackScorers(workerData as PortableDeployments)

serveJobs((job) => {
  const { deployment, call, body, today, place } = job as ScoringJob
  const scorer = scorerOf(deployment)
  if (place !== undefined) {
    const { bytes, tally, idxs, ambiguousIdxs } = scorer.lines[call](body, today, place)
    const answer: LinesAnswer = { bytes: owned(bytes), tally, idxs, ambiguousIdxs, body }
    return { answer, transfer: [answer.bytes.buffer, answer.idxs.buffer, body.buffer] as ArrayBuffer[] }
  }
  const answered = scorer[call](body, today, ANSWER_BUDGET)
  const bytes = owned(answered.bytes)
  const answer: BodyAnswer = { bytes, tally: answered.tally, digest: digestOf(bytes), spent: body.buffer }
  return { answer, transfer: [bytes.buffer, body.buffer] as ArrayBuffer[] }
})

/** Only a buffer that holds nothing else may be transferred. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
}
