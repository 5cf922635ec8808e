/** What a deployment knows, for machines: its model's card and its fields. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { describeFields } from '../../catalog/describe-fields.ts'
import { type ModelDescription, describeModel } from '../../catalog/describe-model.ts'
import { DEFAULT_SERVER_SETTINGS } from '../../server-settings.ts'
import { authenticate } from '../authenticate.ts'
import type { Service } from '../service.ts'
import { SCORING_PATH } from './scoring.ts'

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
}

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
