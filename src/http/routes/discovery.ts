/** What a deployment knows, for machines: its model's card and its fields. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { describeFields } from '../../catalog/describe-fields.ts'
import { type ModelDescription, describeModel } from '../../catalog/describe-model.ts'
import { AppError } from '../../errors.ts'
import { DEFAULT_SERVER_SETTINGS } from '../../server-settings.ts'
import { authenticate } from '../request/authenticate.ts'
import type { Service } from '../service.ts'
import { SCORING_PATH } from '../scoring/path.ts'

export function discoveryRoutes(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const path = deployment.basePath + SCORING_PATH
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.facts['deployment'] = deployment.name
    await authenticate(request, reply, service, deployment.name)
  }
  const model = withServiceLimits(describeModel(service.catalog, deployment), service)
  const fields = describeFields(service.catalog, deployment.model.definition)
  app.route({
    method: 'GET',
    url: `${path}/model`,
    config: { audited: { call: 'model', deployment } },
    onRequest,
    handler: (_request, reply) => reply.send(model),
  })
  app.route({
    method: 'GET',
    url: `${path}/fields`,
    config: { audited: { call: 'fields', deployment } },
    onRequest,
    handler: (_request, reply) => reply.send(fields),
  })
  reportRoutes(app, deployment, path, onRequest)
}

/** How the model did on labelled data, where its folder holds a report: the figures, and the page that shows them. */
function reportRoutes(
  app: FastifyInstance,
  deployment: Deployment,
  path: string,
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  const { report } = deployment.model
  const route = (url: string, type: string, text: string | undefined): void => {
    app.route({
      method: 'GET',
      url,
      config: { audited: { call: 'report', deployment } },
      onRequest,
      handler: (_request, reply) => {
        if (text === undefined) throw new AppError('NOT_FOUND', 'The model of this deployment has no report.')
        return reply.header('content-security-policy', REPORT_POLICY).type(type).send(text)
      },
    })
  }
  route(`${path}/model/report`, 'application/json; charset=utf-8', report?.json)
  route(`${path}/model/report.html`, 'text/html; charset=utf-8', report?.html)
}

/** The page is whole in itself: its own style, and nothing from anywhere. */
const REPORT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The limits of the deployment, and those that the service sets for all of them. */
function withServiceLimits(model: ModelDescription, service: Service): object {
  const { times, connections } = service.settings ?? DEFAULT_SERVER_SETTINGS
  const limits = {
    ...model.deployment.limits,
    headersMs: times.headersMs,
    requestMs: times.requestMs,
    connectionsPerAddress: connections.perAddress,
    failedKeysPerMinute: service.attempts.perMinute,
  }
  return { ...model, deployment: { ...model.deployment, limits } }
}
