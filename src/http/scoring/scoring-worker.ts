/** A worker of the queue: compiles the deployments that it is given, and answers bodies. */
import { hash } from 'node:crypto'
import { workerData } from 'node:worker_threads'
import { type PortableDeployments, unpackScorers } from '../../catalog/portable.ts'
import type { Answered } from '../../workers/message.ts'
import { serveJobs } from '../../workers/serve-jobs.ts'
import {
  ANSWER_BUDGET,
  type BodyAnswer,
  type BodyJob,
  type LinesJob,
  type LinesResult,
  type WorkerJob,
} from './worker-job.ts'

const scorerOf = unpackScorers(workerData as PortableDeployments)

serveJobs((given) => {
  const job = given as WorkerJob
  return job.kind === 'body' ? answerBody(job) : answerLines(job)
})

function answerBody({ deployment, call, body, today }: BodyJob): Answered {
  const answered = scorerOf(deployment)[call](body, today, ANSWER_BUDGET)
  const bytes = owned(answered.bytes)
  const digests = { body: digestOf(body), answer: digestOf(bytes) }
  const answer: BodyAnswer = { bytes, tally: answered.tally, digests, spent: body.buffer }
  return { answer, transfer: [bytes.buffer, body.buffer] as ArrayBuffer[] }
}

function answerLines({ deployment, call, body, today, first, duplicates }: LinesJob): Answered {
  const { bytes, tally, idxs, claimed } = scorerOf(deployment).lines[call](body, today, { first, duplicates })
  const answer: LinesResult = { bytes: owned(bytes), tally, idxs: idxs.slice(), claimed, body }
  const { buffer } = answer.bytes
  return { answer, transfer: [buffer, answer.idxs.buffer, body.buffer] as ArrayBuffer[] }
}

/** In the form of the audit. */
function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64')
}

/** Only a buffer that holds nothing else may be transferred. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
}
