/** The FHIR interface of a deployment: `$score`, and what describes it. Every refusal here is an OperationOutcome. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Deployment, digestText, type Mapping } from '@patient-risk/catalog'
import { AppError } from '@patient-risk/runtime'
import { codingOf, mediaType, readRequestBody } from '../../http/request/read-body.ts'
import { answerLanguage } from '../../http/request/accept-language.ts'
import { alarmMonthOf, writeCalibrationAlarm } from '../../http/routes/calibration-alarm.ts'
import { refuseOtherState } from '../../http/routes/deployment-state.ts'
import { preflightRoutes, sourceHeaders } from '../../http/routes/scoring.ts'
import type { LinesAnswer } from '../../http/scoring/scoring-jobs.ts'
import { countScores, noteScores } from '../../http/scoring/counted-scores.ts'
import { FeedOfCaller } from '../../http/scoring/feed-of-caller.ts'
import type { Service } from '../../http/service.ts'
import { answerStream } from '../../http/stream/answer-stream.ts'
import type { AdapterJob, JobAnswer, RunJob } from '../jobs.ts'
import { capabilityStatement, operationDefinition } from './conformance.ts'
import { FETCHED, type Fetcher } from './fetch/fetcher.ts'
import { type Searches } from '../../remote/search-pages.ts'
import type { Json } from 'patient-risk-engine/read'
import { refusalOutcome } from './outcome.ts'
import { type Parameters } from './read/body/submission.ts'

/** The most bytes of a body: a Bundle of a thousand patients has about 20 MB. */
const MAX_BYTES = 64 * 1024 * 1024
const FHIR_JSON = 'application/fhir+json'
const FHIR_LINES = 'application/fhir+ndjson'
/** Clients of DSTU2 still send the second one. */
const FHIR_TYPES = [FHIR_JSON, 'application/json+fhir', 'text/json']
const ANSWER_TYPES = [...FHIR_TYPES, FHIR_LINES, 'json', '*/*', 'application/*']
const RESPOND_ASYNC = /(^|,)\s*respond-async\s*($|[,;])/i
const NOTHING = new Uint8Array(0)
/** Reading a resource costs much more than watching what was found, so records are chosen as those of a small body. */
const READING_BYTES = 0
const refusal = (error: AppError): { readonly type: string; readonly body: string } => ({
  type: `${FHIR_JSON}; charset=utf-8`,
  body: JSON.stringify(refusalOutcome(error)),
})

export function fhirRoutes(
  app: FastifyInstance,
  service: Service,
  deployment: Deployment,
  searches: Searches,
  run: RunJob,
  fetcher: Fetcher,
  mapping: Pick<Mapping, 'digest'>,
): void {
  const { name, basePath } = deployment
  const describe = (url: string, write: (base: string) => Json): void => {
    app.get(basePath + url, { config: { refusal, deployment } }, (request, reply) => {
      const type = answerType(request)
      const base = `${originOf(service, request)}${basePath}/fhir`
      return reply.type(type).send(Buffer.from(JSON.stringify(write(base))))
    })
  }
  describe('/fhir/metadata', (base) => capabilityStatement(deployment, base))
  describe('/fhir/OperationDefinition/score', operationDefinition)
  app.route({
    method: 'POST',
    // A colon starts a parameter; a dollar sign has no special meaning.
    url: `${basePath}/fhir/$score`,
    config: {
      call: 'fhir $score',
      deployment,
      access: 'deployment',
      isCounted: true,
      isForAdapter: true,
      refusal,
    },
    handler: async (request, reply) => {
      const { context } = request
      const { headers } = context.raw
      const type = answerType(request)
      if (RESPOND_ASYNC.test([headers['prefer'] ?? ''].flat().join())) throw new AppError('ASYNC_UNSUPPORTED')
      if (deployment.model.selfCheckFailures.length > 0) throw new AppError('MODEL_NOT_READY')
      const isStream = acceptBody(headers['content-type'], headers['content-encoding'])
      refuseOtherState(context, reply)
      noteScores(context, deployment)
      const query = request.query as Parameters
      reply.headers({ ...sourceHeaders(deployment), ...mappingHeaders(mapping) })
      const alarm = writeCalibrationAlarm(service, deployment, reply)
      const language = answerLanguage(service.catalog, deployment, context, reply)?.language
      if (isStream) {
        reply.type(FHIR_LINES)
        const feed = new FeedOfCaller(service, deployment, context)
        feed.writeHeaders(reply)
        const answerLines = async (body: Uint8Array, today: number): Promise<LinesAnswer> => {
          // A stream may last long, so each of its pieces looks again.
          const alarm = alarmMonthOf(service, deployment)
          const ofFeed = { feed: feed.notices(), sample: feed.sample(READING_BYTES) }
          const job = {
            kind: 'lines',
            deployment: name,
            body,
            today,
            query,
            alarm,
            language,
            ...ofFeed,
          } as const
          const { bytes, tally, risks, observed } = await run(job, context)
          feed.count('score', observed)
          // There are no idx that could be repeated, so the lines are not needed again.
          return {
            bytes,
            tally,
            risks: Int16Array.from(risks),
            idxs: new Float64Array(0),
            ambiguousIdxs: new Map(),
            malformedAt: undefined,
            body: NOTHING,
            isFromWorker: false,
          }
        }
        await answerStream(service, context, reply, answerLines, { maxLineBytes: maxBytes(service) })
        return reply
      }
      const body = await readRequestBody(service, context, maxBytes(service))
      if (body.length === 0)
        throw new AppError('BODY_MALFORMED', 'The body is empty. Send a Bundle or Parameters.')
      const today = service.clock.today()
      const hold = (bytes: number): void => holdFetched(service, request, bytes)
      const terms = { reply, maxBytes: maxBytes(service), hold }
      const fetched = await context.waitFor(fetcher.fetchPatients(body, query, searches, name, terms))
      const given = fetched === undefined ? body : Buffer.from(JSON.stringify(fetched))
      const kind = fetched === undefined ? 'bundle' : 'fetched'
      const job = { kind, deployment: name, body: given, today, query, alarm, language } as const
      const answer = await runJob(service, run, request, job)
      return reply.type(type).send(await countAnswer(service, request, reply, today, answer))
    },
  })
  preflightRoutes(app, `${basePath}/fhir`, deployment)
  service.refusals.set(`${basePath}/fhir`, refusal)
}

/** A body that adapters could never hold is too large, not one too many. */
export function maxBytes({ settings }: Service): number {
  return Math.min(MAX_BYTES, settings.load.adapterBytes)
}

/** Every answer from resources names what said how fields are found in them. */
export function mappingHeaders(mapping: Pick<Mapping, 'digest'>): Readonly<Record<string, string>> {
  return { 'risk-mapping-digest': digestText(mapping) }
}

export function holdFetched({ load }: Service, { context }: FastifyRequest, bytes: number): void {
  load.hold(context, bytes)
  context.subject = FETCHED
}

/** Runs a job for a caller who waits. */
export function runJob(
  service: Service,
  run: RunJob,
  { context }: FastifyRequest,
  job: AdapterJob,
): Promise<JobAnswer> {
  const feed = context.deployment && new FeedOfCaller(service, context.deployment, context)
  return context.waitFor(run({ ...job, feed: feed?.notices(), sample: feed?.sample(READING_BYTES) }, context))
}

/** Counts an answer that is about to leave. Returns its bytes. */
export async function countAnswer(
  service: Service,
  { context }: FastifyRequest,
  reply: FastifyReply,
  today: number,
  { bytes, tally, digest, risks, observed }: JobAnswer,
): Promise<Uint8Array> {
  const { quota, load, pace } = service
  const feed = context.deployment && new FeedOfCaller(service, context.deployment, context)
  feed?.count('score', observed)
  feed?.writeHeaders(reply)
  load.releaseBody(context)
  await quota.takeRecords(context, reply, tally)
  context.noteAnswer(today, tally, digest)
  if (context.deployment !== undefined) countScores(context, context.deployment, today, risks)
  load.hold(context, bytes.length)
  pace.watchAnswer(context.response, bytes.length)
  return bytes
}

/** The media type of the answer: `_format` comes before Accept. Throws where neither leaves JSON of R4. */
function answerType({ query, headers }: FastifyRequest): string {
  const { _format: format } = query as Parameters
  const wanted = (format === undefined ? (headers.accept ?? '*/*') : String(format))
    .split(',')
    .filter((each) => isR4(each) && !/;\s*q=0(\.0*)?\s*$/i.test(each))
    // A plus sign in a query is a space once it is decoded.
    .map((each) => each.split(';', 1).join().trim().toLowerCase().replace(' ', '+'))
  if (wanted.some((type) => ANSWER_TYPES.includes(type))) return `${FHIR_JSON}; charset=utf-8`
  if (wanted.includes('application/json')) return 'application/json; charset=utf-8'
  throw new AppError('NOT_ACCEPTABLE')
}

/** Whether a media type names R4 or no version of FHIR. */
function isR4(type: string): boolean {
  return /;\s*fhirversion\s*=\s*"?([^";\s]+)/i.exec(type)?.[1]?.startsWith('4.0') ?? true
}

/** Refuses a body that cannot be read. Returns whether it is a stream with a Bundle a line. */
function acceptBody(contentType = '', contentCoding: string | undefined): boolean {
  const coding = codingOf(contentCoding)
  const type = mediaType(contentType)
  const isStream = type === FHIR_LINES
  if (coding === undefined || (isStream && coding !== 'identity')) throw new AppError('CONTENT_CODING')
  if (!isR4(contentType)) throw new AppError('MEDIA_TYPE', 'This service reads FHIR R4 (fhirVersion=4.0).')
  if (!isStream && type !== 'application/json' && !FHIR_TYPES.includes(type))
    throw new AppError(
      'MEDIA_TYPE',
      `The body must be sent as "${FHIR_JSON}", or as "${FHIR_LINES}" with a Bundle a line.`,
    )
  return isStream
}

export function originOf({ settings }: Service, request: FastifyRequest): string {
  return settings.origins[0] ?? `http://${request.headers.host ?? 'localhost'}`
}
