/** What a key may use, and what a deployment is made of, for machines: its model card, its fields and its report. */
import type { FastifyInstance } from 'fastify'
import {
  type Deployment,
  type KeyCodes,
  type LanguageWords,
  SCORING_PATH,
  digestText,
  fieldsOf,
} from '@patient-risk/catalog'
import type { Codes } from 'patient-risk-engine'
import {
  CARD_POLICY,
  cardPage,
  describeCatalogue,
  describeDeployment,
  describeModel,
  treesOf,
} from '@patient-risk/catalog/pages'
import {
  type ShadowOutcomes,
  competingOf,
  deathInFigures,
  knownAfter,
  lastComplete,
  shadowOutcomes,
} from '@patient-risk/monitor'
import { AppError } from '@patient-risk/runtime'
import { keyCodesOf } from '../../store/keys/key-codes.ts'
import { describeKey } from '../../store/keys/key-manager.ts'
import { mayAdminister, maySendOutcomes, mayUse } from '../../store/keys/keys.ts'
import { shadowName } from '../../store/outcomes/sql-shadow.ts'
import { answerLanguage } from '../request/accept-language.ts'
import { sendTagged } from '../request/tagged-answer.ts'
import type { RouteConfig } from '../request/request-context.ts'
import type { Service } from '../service.ts'
import { alarmMonthOf } from './calibration-alarm.ts'

export function discoveryRoutes(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const path = deployment.basePath + SCORING_PATH
  const { catalog } = service
  const described = ofWords((words) => ({
    fields: describeCatalogue(catalog, deployment, {}, words),
    fieldsFor: ofKeys((codes) => describeCatalogue(catalog, deployment, codes, words)),
    model: describeModel(catalog, deployment, limitsOfService(service), words),
  }))
  const config = (call: string): RouteConfig => ({ call, deployment, access: 'deployment' })
  app.get(`${path}/model`, { config: config('model') }, ({ context }, reply) => {
    const words = answerLanguage(catalog, deployment, context, reply)
    return sendTagged(context, reply, deployment, described(words).model, words?.language)
  })
  app.get(`${path}/fields`, { config: config('fields') }, ({ context }, reply) => {
    const codes = keyCodesOf(context.key)
    const words = answerLanguage(catalog, deployment, context, reply)
    const { fields, fieldsFor } = described(words)
    if (codes === undefined) return sendTagged(context, reply, deployment, fields, words?.language)
    // The tag is that of the deployment and does not cover the codes of the key, so what the caller has is never "not modified".
    reply.header('etag', `"${deployment.digest}"`).header('risk-codes-digest', digestText(codes))
    return reply.send(fieldsFor(codes))
  })
  treeRoute(app, deployment, `${path}/model/trees/:number`, config('tree'))
  shadowRoute(app, service, deployment)
  const pageRoute = (url: string, config: RouteConfig, type: string, policy: string, text?: string): void => {
    app.get(url, { config }, (_request, reply) => {
      if (text === undefined) throw new AppError('NOT_FOUND', 'The model of this deployment has no report.')
      return reply.header('content-security-policy', policy).type(`${type}; charset=utf-8`).send(text)
    })
  }
  // People who follow the link of a CDS Hooks card have no key.
  const cardIn = ofWords((words) => cardPage(deployment, fieldsOf(catalog, deployment), words))
  app.get(`${deployment.basePath}/model-card`, { config: { deployment } }, ({ context }, reply) => {
    const card = cardIn(answerLanguage(catalog, deployment, context, reply))
    return reply.header('content-security-policy', CARD_POLICY).type('text/html; charset=utf-8').send(card)
  })
  // How the model did on labelled data, where its folder holds a report: the figures, and the page that shows them.
  const { json, html } = deployment.model.report ?? {}
  pageRoute(`${path}/model/report`, config('report'), 'application/json', REPORT_POLICY, json)
  pageRoute(`${path}/model/report.html`, config('report'), 'text/html', REPORT_POLICY, html)
}

/** Descriptions are made once for each language. */
function ofWords<Described>(
  describe: (words: LanguageWords | undefined) => Described,
): (words: LanguageWords | undefined) => Described {
  const made = new Map<LanguageWords | undefined, Described>()
  return (words) => {
    const described = made.get(words) ?? describe(words)
    made.set(words, described)
    return described
  }
}

/** Fields are described once for each set of codes. Few keys have their own. */
const MOST_DESCRIBED = 100

function ofKeys(describe: (codes: Codes) => object): (codes: KeyCodes) => object {
  const made = new Map<string, object>()
  return ({ codes, digest }) => {
    const described = made.get(digest) ?? describe(codes)
    if (made.size >= MOST_DESCRIBED) made.clear()
    made.set(digest, described)
    return described
  }
}

/** One tree of a model that has trees, by its number from 1. Hundreds of them would make the card slow to send and to read. */
function treeRoute(app: FastifyInstance, deployment: Deployment, url: string, config: RouteConfig): void {
  const trees = treesOf(deployment.model.definition)
  if (trees.length === 0) return
  app.get<{ Params: { number: string } }>(url, { config }, ({ context, params }, reply) => {
    const number = Number(params.number)
    const nodes = /^\d+$/.test(params.number) ? trees[number - 1] : undefined
    if (nodes === undefined)
      throw new AppError('NOT_FOUND', `The trees have the numbers 1 to ${trees.length}.`)
    reply.header('risk-deployment-digest', digestText(deployment))
    return sendTagged(context, reply, deployment, { number, nodes })
  })
}

/** How the shadow model differs from the one that answers. Without a shadow there is no such call. */
function shadowRoute(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const { shadows, peers } = service
  const { name, basePath } = deployment
  const shadow = shadows.get(name)
  if (shadow === undefined) return
  const config: RouteConfig = { call: 'shadow', deployment, access: 'outcomes', isCounted: true }
  app.get(`${basePath}${SCORING_PATH}/shadow`, { config }, async (_request, reply) => {
    // The counts of one process instead of all would be too low, so none are given.
    const all = await peers?.collect().catch(() => {
      throw new AppError('OVERLOADED')
    })
    const outcomes = await outcomesOf(service, deployment)
    return reply.send({ ...shadow.report(all?.shadow?.[name]), outcomes })
  })
}

/** What outcomes that came with both risks say; null where there are too few. */
async function outcomesOf(
  { store, clock, outcomes: watch }: Service,
  deployment: Deployment,
): Promise<ShadowOutcomes | null> {
  const { name, digest, shadow, output, model, outcomes } = deployment
  if (shadow === undefined) return null
  const counts = await store.readShadow(name, digest, shadowName(shadow.model))
  const months = await watch.monthsOf(deployment, digest)
  const { horizonDays } = model.definition.card
  return shadowOutcomes(counts, {
    until: lastComplete(clock.today(), knownAfter(outcomes ?? { horizonDays, eta: 1 })),
    scored: new Map(months.map(({ month, counted }) => [month, counted])),
    output: output.kind,
    threshold: output.kind === 'yes-no' ? output.threshold : (model.definition.threshold?.risk ?? null),
    eta: outcomes?.eta ?? 1,
    death: deathInFigures(competingOf(deployment)),
  })
}

/** The page has its style inside, and loads nothing. */
const REPORT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** They hold for all deployments together. */
function limitsOfService({ settings, attempts }: Service): object {
  const { times, connections } = settings
  const { headersMs, requestMs } = times
  const connectionsPerAddress = connections.perAddress
  return { headersMs, requestMs, connectionsPerAddress, failedKeysPerMinute: attempts.perMinute }
}

const IDLE_LOCK_MINUTES = 15

/** Lists what a key may use, for a page or a client that was given a key and nothing else. */
export function deploymentsRoute(app: FastifyInstance, service: Service): void {
  const { deployments, idleLockMinutes = IDLE_LOCK_MINUTES } = service
  const config: RouteConfig = { call: 'deployments', access: 'key' }
  app.get('/deployments', { config }, ({ context: { key } }, reply) => {
    if (key === undefined) throw new AppError('KEY_MISSING')
    const { id, name, expires } = describeKey(key)
    const describe = (deployment: Deployment): object => ({
      ...describeDeployment(deployment),
      // JSON leaves out what is undefined.
      calibrationAlarm: alarmMonthOf(service, deployment),
    })
    return reply.send({
      key: { id, name, expires },
      admin: mayAdminister(key),
      idleLockMinutes,
      deployments: deployments.filter((each) => mayUse(key, each.name)).map(describe),
      outcomes: deployments.filter((each) => maySendOutcomes(key, each.name)).map(describe),
    })
  })
}
