/** What a deployment knows, for machines: its model's card and its fields. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deployment } from '../../catalog/deployment.ts'
import { describeFields } from '../../catalog/describe-fields.ts'
import { describeModel } from '../../catalog/describe-model.ts'
import { authenticate } from '../authenticate.ts'
import type { Service } from '../service.ts'
import { SCORING_PATH } from './scoring.ts'

export function discoveryRoutes(app: FastifyInstance, service: Service, deployment: Deployment): void {
  const path = deployment.basePath + SCORING_PATH
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.facts['deployment'] = deployment.name
    await authenticate(request, reply, service, deployment.name)
  }
  const model = describeModel(service.catalog, deployment)
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
