/** The scoring calls of a deployment: score, validate and explain, as an array or as a stream of lines. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Deployment,
  type KeyCodes,
  type LanguageWords,
  SCORING_PATH,
  digestText,
  shadowOf,
} from '@patient-risk/catalog'
import type { Call } from 'patient-risk-engine'
import { AppError, digestOf, freeNow } from '@patient-risk/runtime'
import { keyCodesOf } from '../../store/keys/key-codes.ts'
import { answerLanguage } from '../request/accept-language.ts'
import { LINES_TYPE, codingOf, mediaType, readRequestBody } from '../request/read-body.ts'
import { prefersLater } from '../request/prefer.ts'
import type { RequestContext } from '../request/request-context.ts'
import { allowOrigin } from '../request/response-headers.ts'
import { refuseReceipts, wantsReceipts, withReceipts } from '../receipts/receipts.ts'
import { countScores, noteScores } from '../scoring/counted-scores.ts'
import { FeedOfCaller } from '../scoring/feed-of-caller.ts'
import type { BodyAnswer } from '../scoring/scoring-jobs.ts'
import type { Service } from '../service.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type LineReceipts, answerStream } from '../stream/answer-stream.ts'
import { writeCalibrationAlarm } from './calibration-alarm.ts'
import { refuseOtherState } from './deployment-state.ts'
import { takeJob } from './jobs.ts'

/** Answers of at least this size may fill the buffers of a caller who does not read. */
const LARGE_ANSWER_BYTES = 65_536
/** Answers below this size leave as text, which Node sends in one piece with the headers. */
const SMALL_ANSWER_BYTES = 2_048
/** The lines of a stream that are explained in one go: no more work than a request may cause, even if every line takes the most. */
const EXPLAINED_BYTES = 512
const UTF8 = new TextDecoder()
const USUAL_HEADERS =
  'authorization, content-type, content-encoding, if-match, if-none-match, x-request-id, idempotency-key, risk-group, risk-outcomes'
const CALLS: readonly Call[] = ['score', 'validate', 'explain']

export function scoringRoutes(
  app: FastifyInstance,
  service: Service,
  deployment: Deployment,
  jobs?: Jobs,
): void {
  const source = sourceHeaders(deployment)
  const path = deployment.basePath + SCORING_PATH
  if (jobs === undefined) preflightRoutes(app, path, deployment)
  else preflightRoutes(app, path, deployment, `${USUAL_HEADERS}, prefer`, 'GET, POST, DELETE')
  for (const call of CALLS) {
    app.route({
      method: 'POST',
      url: deployment.basePath + SCORING_PATH + (call === 'score' ? '' : `/${call}`),
      config: { call, deployment, access: 'deployment', isCounted: true },
      handler: (request: FastifyRequest, reply: FastifyReply) => {
        const { context } = request
        if (call !== 'score') refuseReceipts(request.query, `The call "${call}"`)
        if (jobs !== undefined && call === 'score' && prefersLater(context.raw))
          return takeJob(service, jobs, deployment, request, reply)
        const isStream = acceptBody(context, deployment)
        refuseOtherState(context, reply)
        if (call === 'score') noteScores(context, deployment)
        const hasReceipts = call === 'score' && wantsReceipts(context.raw.headers, request.query, deployment)
        if (!isStream) return answerBody(service, context, reply, { deployment, call, source, hasReceipts })
        service.dispatcher.refuseWhenFull()
        reply.headers(source)
        const codes = noteCodes(context, reply)
        const feed = new FeedOfCaller(service, deployment, context, codes?.codes)
        const words = wordsFor(service, deployment, call, context, reply)
        writeAlarms(service, deployment, feed, reply)
        return answerStream(
          service,
          context,
          reply,
          async (lines, today, place) => {
            const watching = feed.before(call, lines.length)
            // Lines with a repeated idx come a second time.
            const isSecond = place.duplicates.size > 0
            const { dispatcher } = service
            const answer = dispatcher.answerLines(
              deployment,
              call,
              lines,
              today,
              place,
              context,
              codes,
              isSecond ? { notices: watching.notices } : watching,
              words,
            )
            const given = await answer
            feed.count(call === 'explain' ? undefined : call, given.observed)
            return given
          },
          {
            ...(call === 'explain' ? { pieceBytes: EXPLAINED_BYTES } : {}),
            ...(hasReceipts ? { receipts: receiptsOfLines(service, context, deployment, codes) } : {}),
          },
        )
      },
    })
  }
}

/** Preflight requests of web pages of other origins to a path and everything below it. */
export function preflightRoutes(
  app: FastifyInstance,
  path: string,
  allowed: Pick<Deployment, 'cors'>,
  headers = USUAL_HEADERS,
  methods = 'GET, POST',
): void {
  if (allowed.cors === undefined) return
  for (const url of [path, `${path}/*`]) {
    app.options(url, (request, reply) => {
      if (allowOrigin(request.raw, reply, allowed.cors))
        reply.headers({
          'access-control-allow-methods': methods,
          'access-control-allow-headers': headers,
          'access-control-max-age': '600',
        })
      return reply.code(204).send()
    })
  }
}

/** Refuses what can be refused before the body is read. Returns whether the body is a stream of lines. */
function acceptBody({ raw: { headers } }: RequestContext, { model }: Deployment): boolean {
  if (model.selfCheckFailures.length > 0) throw new AppError('MODEL_NOT_READY')
  const coding = codingOf(headers['content-encoding'])
  const type = mediaType(headers['content-type'])
  const isStream = type === LINES_TYPE
  // A compressed stream could not be answered as it comes.
  if (coding === undefined || (isStream && coding !== 'identity')) throw new AppError('CONTENT_CODING')
  if (type !== 'application/json' && !isStream) throw new AppError('MEDIA_TYPE')
  return isStream
}

/** The receipts of some lines of a stream, with the risks of the shadow. */
function receiptsOfLines(
  service: Service,
  context: RequestContext,
  deployment: Deployment,
  codes: KeyCodes | undefined,
): LineReceipts {
  const second = shadowOf(deployment)
  return {
    shadowRisks: async (lines, today, place) =>
      second &&
      (await service.dispatcher.answerLines(second, 'score', lines, today, place, context, codes)).risks,
    add: (given, today, shadow) => withReceipts(service, deployment, today, given, shadow),
  }
}

interface ScoringCall {
  readonly deployment: Deployment
  readonly call: Call
  readonly source: Readonly<Record<string, string>>
  readonly hasReceipts: boolean
}

async function answerBody(
  service: Service,
  context: RequestContext,
  reply: FastifyReply,
  { deployment, call, source, hasReceipts }: ScoringCall,
): Promise<Uint8Array | string> {
  const { dispatcher, quota, load, pace, clock, buffers } = service
  const body = await readRequestBody(service, context, deployment.limits.bytes, buffers)
  if (body.length === 0) {
    throw new AppError('BODY_MALFORMED', 'The body is empty. Send a JSON array of patient records.')
  }
  const { length } = body
  const today = clock.today()
  const codes = noteCodes(context, reply)
  // A shadow model reads records with the codes of the deployment, so those of a key with other codes are left out.
  const isShadowed = call === 'score' && codes === undefined
  // Taken first: a large body moves to a worker.
  const shadow = isShadowed ? service.shadows.get(deployment.name) : undefined
  const forShadow = shadow?.take(body)
  const second = hasReceipts ? shadowOf(deployment) : undefined
  // The slice of a Buffer would be no copy.
  const forSecond = second && new Uint8Array(body)
  const feed = new FeedOfCaller(service, deployment, context, codes?.codes)
  const words = wordsFor(service, deployment, call, context, reply)
  const watching = feed.before(call, length)
  const answered = dispatcher.answer(deployment, call, body, today, context, codes, watching, words)
  const first = answered instanceof Promise ? await context.waitFor(answered) : answered
  const isDoubted = feed.count(call, first.observed)
  // What one record says about a code holds for the records before it in the same body.
  const given = isDoubted && call === 'explain' ? await explainAgain(first) : first
  const { tally, returnedBuffer, risks } = given
  if (returnedBuffer !== undefined) buffers.adopt(returnedBuffer)
  const counting = quota.takeRecords(context, reply, tally)
  if (counting !== undefined) await counting
  // The digest is that of the answer without its receipts: these differ whenever the same body is scored.
  context.noteAnswer(today, tally, given.digest ?? (hasReceipts ? digestOf(given.bytes) : undefined))
  countScores(context, deployment, today, risks)
  const shadowRisks =
    second && forSecond && (await dispatcher.answer(second, 'score', forSecond, today, context, codes)).risks
  const bytes = hasReceipts ? await withReceipts(service, deployment, today, given, shadowRisks) : given.bytes
  writeAlarms(service, deployment, feed, reply)
  if (forShadow !== undefined) context.response.once('finish', () => shadow?.add(forShadow, today))
  if (bytes.length >= LARGE_ANSWER_BYTES) {
    load.hold(context, bytes.length)
    pace.watchAnswer(context.response, bytes.length)
    // Not before it has left: until then the system may still be reading it.
    context.response.once('finish', () => freeNow(bytes))
  }
  reply.headers(source).type('application/json; charset=utf-8')
  // Not the reply itself: it is a thenable, and fastify would watch the whole response for it.
  return bytes.length < SMALL_ANSWER_BYTES ? UTF8.decode(bytes) : bytes

  async function explainAgain({ returnedBuffer: given }: BodyAnswer): Promise<BodyAnswer> {
    const again = given === undefined ? body : new Uint8Array(given, 0, length)
    const { notices } = feed.before(call, length)
    return dispatcher.answer(deployment, call, again, today, context, codes, { notices }, words)
  }
}

/** The language of texts for people, which only what is explained has. */
function wordsFor(
  { catalog }: Service,
  deployment: Deployment,
  call: Call,
  context: RequestContext,
  reply: FastifyReply,
): LanguageWords | undefined {
  return call === 'explain' ? answerLanguage(catalog, deployment, context, reply) : undefined
}

/** Names the fields of the caller's feed that probably mean something else, and the month by which risks no longer fit outcomes. */
function writeAlarms(
  service: Service,
  deployment: Deployment,
  feed: FeedOfCaller,
  reply: FastifyReply,
): void {
  feed.writeHeaders(reply)
  writeCalibrationAlarm(service, deployment, reply)
}

/** Notes the codes of the caller's key, which decide the answer too: for the audit, and in a header. */
function noteCodes(context: RequestContext, reply: FastifyReply): KeyCodes | undefined {
  const codes = keyCodesOf(context.key)
  context.codes = codes
  if (codes !== undefined) reply.header('risk-codes-digest', digestText(codes))
  return codes
}

/** Every answer names what produced it. */
export function sourceHeaders(deployment: Deployment): Readonly<Record<string, string>> {
  const { name, model, retirement } = deployment
  const { definition, digest } = model
  const headers: Record<string, string> = {
    'risk-deployment': name,
    'risk-model': `${definition.id}@${definition.version}`,
    'risk-model-digest': `sha-256=:${digest}:`,
    'risk-deployment-digest': digestText(deployment),
  }
  if (retirement === undefined) return headers
  headers['deprecation'] = `@${Math.floor(Date.parse(retirement.deprecated) / 1000)}`
  if (retirement.sunset !== undefined) headers['sunset'] = new Date(retirement.sunset).toUTCString()
  return headers
}
