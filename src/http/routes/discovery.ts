/** What a deployment is made of, for machines: its model card, its fields and its report. */
import type { FastifyInstance } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { describeFields } from '../../catalog/describe-fields.ts'
import { type ModelDescription, describeModel } from '../../catalog/describe-model.ts'
import { AppError } from '../../errors.ts'
import type { RouteConfig } from '../request/request-context.ts'
import { SCORING_PATH } from '../scoring/path.ts'
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
function withServiceLimits(model: ModelDescription, service: Service): object {
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
