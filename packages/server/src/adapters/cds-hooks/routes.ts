/** CDS Hooks 2.0: discovery, one service for each deployment that asks for it, and feedback on its cards. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CdsHooksSettings } from '@patient-risk/catalog/config'
import { AppError } from '@patient-risk/runtime'
import { admit, refuseCaller, takeLease } from '../../http/request/authenticate.ts'
import { mediaType, readRequestBody } from '../../http/request/read-body.ts'
import { answerLanguage, chooseLanguage, varyBy } from '../../http/request/accept-language.ts'
import { allowOrigin } from '../../http/request/response-headers.ts'
import { writeCalibrationAlarm } from '../../http/routes/calibration-alarm.ts'
import { refuseOtherState } from '../../http/routes/deployment-state.ts'
import { preflightRoutes, sourceHeaders } from '../../http/routes/scoring.ts'
import { noteScores } from '../../http/scoring/counted-scores.ts'
import type { Service } from '../../http/service.ts'
import type { Fetcher, HookAttempt } from '../fhir/fetch/fetcher.ts'
import { type Searches } from '../../remote/search-pages.ts'
import { searchesFor } from '../fhir/fetch/searches.ts'
import { type Mapping, modelIn, wordsOf } from '@patient-risk/catalog'
import { wantedBy } from '../fhir/read/read-patient.ts'
import { countAnswer, holdFetched, mappingHeaders, maxBytes, originOf, runJob } from '../fhir/routes.ts'
import { parseBody } from 'patient-risk-engine/read'
import type { JobAnswer, RunJob } from '../jobs.ts'
import { readFeedback } from './cards.ts'
import { tokenVerifier } from '../../http/request/token-verifier.ts'

const CDS_PATH = '/cds-services'
const FEEDBACK_BYTES = 65_536
/** A signed token has two dots; an API key has none. */
const TOKEN = /^Bearer +([^ .]*\.[^ .]*\.[^ .]*) *$/i

export function cdsRoutes(
  app: FastifyInstance,
  service: Service,
  { origins = [], issuers = [] }: CdsHooksSettings,
  mapping: Mapping,
  run: RunJob,
  fetcher: Fetcher,
): void {
  const { clock, quota, settings, store } = service
  const keyIdOf = tokenVerifier(issuers, store)
  const cors = origins.length === 0 ? undefined : { origins }
  const open = (request: FastifyRequest, reply: FastifyReply): void =>
    void allowOrigin(request.raw, reply, cors)
  const services = service.deployments.flatMap((deployment) => {
    const { name, cdsHooks, model } = deployment
    if (cdsHooks === undefined) return []
    const wanted = wantedBy(model.definition, service.catalog.definitions)
    const searches = (today: number): Searches => searchesFor(wanted, mapping, today)
    const common = (header: string | undefined): object => {
      const words = wordsOf(service.catalog, chooseLanguage(header, deployment.languages))
      const { title, card } = words === undefined ? model.definition : modelIn(words, model.definition)
      return { title, description: card.summary, id: name }
    }
    return [{ deployment, cdsHooks, searches, common }]
  })
  preflightRoutes(app, CDS_PATH, { cors }, 'authorization, content-type, if-match, risk-group, risk-outcomes')
  app.get(CDS_PATH, (request, reply) => {
    open(request, reply)
    varyBy(reply, 'Accept-Language')
    const described = services.flatMap(({ cdsHooks, searches, common }) => {
      const prefetch = searches(clock.today())
      const described = common(request.headers['accept-language'])
      return cdsHooks.hooks.map((hook) => ({ hook, ...described, prefetch }))
    })
    return reply.send({ services: described })
  })
  for (const { deployment, cdsHooks } of services) {
    const { name, basePath } = deployment
    const url = `${CDS_PATH}/${name}`
    const admitCaller = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { context, headers } = request
      open(request, reply)
      const token = TOKEN.exec(headers.authorization ?? '')?.[1]
      if (token === undefined) await admit(service, context, reply, 'deployment')
      else {
        const audience = settings.origins.map((origin) => origin + (request.url.split('?')[0] ?? ''))
        try {
          context.tokenKeyId = await keyIdOf(token, audience, clock.now())
          await takeLease(service, context)
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'KEY_INVALID') throw error
          // A token has no id of a key that could be counted: anyone may write any id into it.
          await refuseCaller(service, context, reply, '', error)
        }
      }
      await quota.takeRequest(context, reply)
    }
    app.post(
      url,
      {
        config: { call: 'cds hook', deployment, isCounted: true, isForAdapter: true },
        onRequest: admitCaller,
      },
      async (request, reply) => {
        if (deployment.model.selfCheckFailures.length > 0) throw new AppError('MODEL_NOT_READY')
        const body = await bodyOf(service, request, reply, maxBytes(service))
        noteScores(request.context, deployment)
        const today = clock.today()
        const origin = originOf(service, request)
        const alarm = writeCalibrationAlarm(service, deployment, reply)
        const language = answerLanguage(service.catalog, deployment, request.context, reply)?.language
        const modelUrl = `${origin}${basePath}/model-card`
        const cards = { ...cdsHooks, modelUrl, pageUrl: `${origin}/#/${name}/patient` }
        const attempt = ({ body, fetched, mayFetch, isWide }: HookAttempt): Promise<JobAnswer> =>
          runJob(service, run, request, {
            kind: 'hook',
            language,
            deployment: name,
            body,
            fetched,
            today,
            settings: { ...cards, mayFetch, isWide },
            alarm,
          })
        const answer = await fetcher.answerHook(body, attempt, {
          reply,
          hold: (bytes) => holdFetched(service, request, bytes),
          maxBytes: maxBytes(service),
        })
        const bytes = await countAnswer(service, request, reply, today, answer)
        const headers = { ...sourceHeaders(deployment), ...mappingHeaders(mapping) }
        return reply.headers(headers).type('application/json; charset=utf-8').send(bytes)
      },
    )
    app.post(
      `${url}/feedback`,
      { config: { call: 'cds feedback', deployment }, onRequest: admitCaller },
      async (request, reply) => {
        const body = await bodyOf(service, request, reply, FEEDBACK_BYTES)
        request.context.subject = readFeedback(parseBody(body))
        return reply.code(200).send()
      },
    )
  }
}

async function bodyOf(
  service: Service,
  { context }: FastifyRequest,
  reply: FastifyReply,
  limit: number,
): Promise<Uint8Array> {
  if (mediaType(context.raw.headers['content-type']) !== 'application/json')
    throw new AppError('MEDIA_TYPE', 'The body must be sent as "Content-Type: application/json".')
  refuseOtherState(context, reply)
  return readRequestBody(service, context, limit)
}
