/** What a key may use, and what a deployment is made of, for machines: its model card, its fields and its report. */
import type { FastifyInstance } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { describeFields } from '../../catalog/describe-fields.ts'
import { describeModel } from '../../catalog/describe-model.ts'
import { AppError } from '../../errors.ts'
import { describeKey } from '../../store/keys/key-manager.ts'
import { mayAdminister, mayUse } from '../../store/keys/key-rules.ts'
import type { RouteConfig } from '../request/request-context.ts'
import { SCORING_PATH } from './scoring.ts'
import type { Service } from '../service.ts'

export function discoveryRoutes(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const path = deployment.basePath + SCORING_PATH
  const model = withServiceLimits(describeModel(service.catalog, deployment), service)
  const fields = describeFields(service.catalog, deployment.model.definition, deployment.units)
  const config = (call: string): RouteConfig => ({ call, deployment, access: 'deployment' })
  app.get(`${path}/model`, { config: config('model') }, (_request, reply) => reply.send(model))
  app.get(`${path}/fields`, { config: config('fields') }, (_request, reply) => reply.send(fields))
  // How the model did on labelled data, where its folder holds a report: the figures, and the page that shows them.
  const { report } = deployment.model
  const reportRoute = (url: string, type: string, text: string | undefined): void => {
    app.get(url, { config: config('report') }, (_request, reply) => {
      if (text === undefined) throw new AppError('NOT_FOUND', 'The model of this deployment has no report.')
      return reply.header('content-security-policy', REPORT_POLICY).type(type).send(text)
    })
  }
  reportRoute(`${path}/model/report`, 'application/json; charset=utf-8', report?.json)
  reportRoute(`${path}/model/report.html`, 'text/html; charset=utf-8', report?.html)
}

/** The page has its style inside, and loads nothing. */
const REPORT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The model with the limits of the deployment, and those that the service sets for all deployments. */
function withServiceLimits(model: ReturnType<typeof describeModel>, service: Service): object {
  const { times, connections } = service.settings
  const limits = {
    ...model.deployment.limits,
    headersMs: times.headersMs,
    requestMs: times.requestMs,
    connectionsPerAddress: connections.perAddress,
    failedKeysPerMinute: service.attempts.perMinute,
  }
  return { ...model, deployment: { ...model.deployment, limits } }
}

const IDLE_LOCK_MINUTES = 15

/** Lists what a key may use, for a page or a client that was given a key and nothing else. */
export function deploymentsRoute(app: FastifyInstance, service: Service): void {
  const { deployments, idleLockMinutes = IDLE_LOCK_MINUTES } = service
  const config: RouteConfig = { call: 'deployments', access: 'key' }
  app.get('/deployments', { config }, ({ context: { key } }, reply) => {
    if (key === undefined) throw new AppError('KEY_MISSING')
    const { id, name, expires } = describeKey(key)
    return reply.send({
      key: { id, name, expires },
      admin: mayAdminister(key),
      idleLockMinutes,
      deployments: deployments.filter((each) => mayUse(key, each.name)).map(summaryOf),
    })
  })
}

function summaryOf({ name, basePath, model, output }: Deployment): object {
  const { definition, trouble } = model
  return {
    name,
    basePath: basePath === '' ? '/' : basePath,
    title: definition.title,
    model: `${definition.id}@${definition.version}`,
    output: output.kind,
    ...(output.kind === 'yes-no' ? { threshold: output.threshold } : {}),
    ready: trouble.length === 0,
  }
}
