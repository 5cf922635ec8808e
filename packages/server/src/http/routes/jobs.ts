/** Jobs of a deployment: a large body is taken now, and its results are fetched later. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Deployment, SCORING_PATH, digestText } from '@patient-risk/catalog'
import { feedDoubtHeader } from '@patient-risk/monitor'
import { AppError, invalid, isoTime } from '@patient-risk/runtime'
import type { StoredJob } from '../../store/jobs/stored-job.ts'
import {
  BODY_TYPES,
  type BodyForm,
  type FailedAnswer,
  type JobFile,
  RESULT_TYPES,
  type ResultForm,
  factsOf,
  isTable,
  openAnswer,
} from '../jobs/job-facts.ts'
import { digestOfJob, jobAddress, runningText } from '../jobs/job-desk.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { renewLease } from '../request/authenticate.ts'
import { refuseReceipts } from '../receipts/receipts.ts'
import { prefersLater } from '../request/prefer.ts'
import { codingOf, mediaType } from '../request/read-body.ts'
import type { RequestContext, RouteConfig } from '../request/request-context.ts'
import { noteScores } from '../scoring/counted-scores.ts'
import type { Service } from '../service.ts'
import { writeCalibrationAlarm } from './calibration-alarm.ts'
import { refuseOtherState } from './deployment-state.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const POLL_AGAIN_S = 2
const IDEMPOTENCY_KEY = /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/
const TYPES = Object.keys(BODY_TYPES).join(', ')

export function jobRoutes(app: FastifyInstance, service: Service, jobs: Jobs, deployment: Deployment): void {
  const path = `${deployment.basePath}${SCORING_PATH}/jobs`
  const config = (call: string, more: object = {}): RouteConfig => {
    return { call, deployment, access: 'job', isCounted: true, ...more }
  }
  const submit = config('job submit', { access: 'deployment', isStreamed: true })
  app.post(path, { config: submit }, (request, reply) => takeJob(service, jobs, deployment, request, reply))
  app.get<{ Params: { id: string } }>(`${path}/:id`, { config: config('job') }, async (request, reply) => {
    const { context, params } = request
    const job = await jobs.desk.find(context, deployment, params.id)
    context.subject = `job ${job.id}`
    writeSource(service, deployment, job, reply)
    reply.type(JSON_TYPE)
    if (job.state !== 'done' && job.state !== 'failed') return sendProgress(reply, job)
    reply.header('expires', new Date(job.expiresAt).toUTCString())
    return reply.send(endedText(service, jobs, deployment, job))
  })
  app.delete<{ Params: { id: string } }>(
    `${path}/:id`,
    { config: config('job delete') },
    async ({ context, params }, reply) => {
      const job = await jobs.desk.find(context, deployment, params.id)
      context.subject = `job ${job.id}`
      await jobs.desk.remove(job)
      service.metrics.countJob(deployment.name, 'deleted')
      return reply.code(202).type(JSON_TYPE).send('{"state":"deleted"}')
    },
  )
  app.get<{ Params: { id: string; name: string } }>(
    `${path}/:id/files/:name`,
    { config: config('job download') },
    ({ context, params }, reply) => sendFile(service, jobs, deployment, context, reply, params),
  )
}

/** Takes a job, for its own address and for the scoring call of a caller that prefers to come back. */
export async function takeJob(
  { settings }: Pick<Service, 'settings'>,
  jobs: Jobs,
  deployment: Deployment,
  { context, query }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { headers } = context.raw
  if (deployment.model.selfCheckFailures.length > 0) throw new AppError('MODEL_NOT_READY')
  if (codingOf(headers['content-encoding']) !== 'identity')
    throw new AppError('CONTENT_CODING', 'The body of a job is sent without a content coding.')
  const from = BODY_TYPES[mediaType(headers['content-type'])]
  if (from === undefined)
    throw new AppError('MEDIA_TYPE', `The body of a job must be of one of these types: ${TYPES}.`)
  refuseReceipts(query, 'A job')
  const { to: asked = 'ndjson' } = query as Readonly<Record<string, string | undefined>>
  if (!Object.hasOwn(RESULT_TYPES, asked))
    throw invalid(`"to" takes one of ${Object.keys(RESULT_TYPES).join(', ')}.`)
  const to = asked as ResultForm
  refuseTables(jobs, from, to)
  const idempotencyKey = headers['idempotency-key']
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(String(idempotencyKey)))
    throw invalid('The header "Idempotency-Key" takes 1 to 255 printable ASCII characters.')
  refuseOtherState(context, reply)
  noteScores(context, deployment)
  const wanted = { from, to, idempotencyKey: idempotencyKey?.toString() }
  const { id, text } = await jobs.desk.take(context, deployment, wanted)
  reply.header('content-location', jobAddress(settings.origins, deployment, id))
  if (prefersLater(context.raw)) reply.header('preference-applied', 'respond-async')
  return reply.code(202).header('retry-after', String(POLL_AGAIN_S)).type(JSON_TYPE).send(text)
}

function refuseTables({ runner }: Jobs, from: BodyForm, to: ResultForm): void {
  if (!isTable(from) && !isTable(to)) return
  if (runner?.isAvailable() === true) return
  throw new AppError(
    'MEDIA_TYPE',
    'CSV and Parquet need DuckDB, which is not installed with this service. Send JSON or NDJSON, and ask for NDJSON.',
  )
}

/** What produces the results, what is in doubt about the feed that they come from, and the open alarm of the deployment. */
function writeSource(service: Service, deployment: Deployment, job: StoredJob, reply: FastifyReply): void {
  const { model, modelDigest, codes } = factsOf(job)
  const source = {
    'risk-deployment': job.deployment,
    'risk-model': model,
    'risk-deployment-digest': digestOfJob(job),
  }
  reply.headers(source)
  if (modelDigest !== undefined) reply.header('risk-model-digest', digestText({ digest: modelDigest }))
  if (codes !== null) reply.header('risk-codes-digest', digestText(codes))
  writeCalibrationAlarm(service, deployment, reply)
  // The doubts are those of the key that submitted the job, also when another key fetches it.
  const doubts = feedDoubtHeader(service.feeds.get(deployment.name)?.doubts(job.keyId, codes?.codes) ?? [])
  if (doubts !== undefined) reply.header('risk-feed-doubt', doubts)
}

function sendProgress(reply: FastifyReply, job: StoredJob): FastifyReply {
  const done = job.done.toLocaleString('en')
  const shown = job.records === null ? 'reading' : `${done} of ${job.records.toLocaleString('en')} records`
  const progress = job.state === 'waiting' ? 'waiting' : shown
  reply.header('x-progress', progress).header('retry-after', String(POLL_AGAIN_S))
  return reply.code(202).send(runningText(job))
}

function endedText({ settings }: Service, { desk }: Jobs, deployment: Deployment, job: StoredJob): string {
  const key = desk.keyOf(job)
  const { model } = factsOf(job)
  const source = { model, digest: digestOfJob(job) }
  const expires = isoTime(job.expiresAt)
  const isLost = key === undefined || job.answer === null || job.answer.length === 0
  const answer = isLost ? LOST : openAnswer(job, key)
  if ('code' in answer) return JSON.stringify({ state: 'failed', ...source, ...answer, expires })
  const address = jobAddress(settings.origins, deployment, job.id)
  const shown = ({ name, type, count }: JobFile): object => ({ url: `${address}/files/${name}`, type, count })
  const { records, scored, output, error } = answer
  return JSON.stringify({
    state: 'done',
    ...source,
    records,
    scored,
    output: output.map(shown),
    error: error.map(shown),
    expires,
  })
}

const LOST: FailedAnswer = {
  code: 'JOB_FAILED',
  reason:
    'The results were sealed with a secret that the service does not have any more. Submit the records again.',
}

async function sendFile(
  service: Service,
  { desk, folder }: Jobs,
  deployment: Deployment,
  context: RequestContext,
  reply: FastifyReply,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<FastifyReply> {
  const job = await desk.find(context, deployment, id)
  context.subject = `job ${job.id}`
  const key = desk.keyOf(job)
  const answer = job.state === 'done' && key !== undefined ? openAnswer(job, key) : undefined
  const files = answer === undefined || 'code' in answer ? [] : [...answer.output, ...answer.error]
  const file = files.find((each) => each.name === name)
  if (file === undefined || key === undefined) throw new AppError('NOT_FOUND', 'The job has no such file.')
  // The row names the whole file, before its first byte leaves.
  context.answerDigest = file.digest
  if (!(await service.recorder.record(context, 200))) throw new AppError('AUDIT_UNAVAILABLE')
  context.recordedStatus = 200
  async function* pieces(): AsyncGenerator<Buffer> {
    for (const piece of file?.pieces ?? []) {
      // The right to read ends with the key, also in the middle of a file.
      await renewLease(service, context)
      yield await folder.read(job.id, piece, key as Uint8Array)
    }
  }
  writeSource(service, deployment, job, reply)
  reply.type(file.type).header('content-length', String(file.bytes))
  reply.header('content-disposition', `attachment; filename="${file.name}"`)
  return reply.send(Readable.from(pieces(), { objectMode: false }))
}
