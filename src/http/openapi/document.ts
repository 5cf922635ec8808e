/** The OpenAPI 3.1 document, made from the same definitions that the service answers by, and a page to read it and try it. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Deployment } from '../../catalog/deployment.ts'
import { describeFields } from '../../catalog/describe-fields.ts'
import { AppError } from '../../errors.ts'
import { mayAdminister, mayUse } from '../../store/keys/key-rules.ts'
import { packageVersion } from '../../version.ts'
import { PAGE_POLICY } from '../request/response-headers.ts'
import type { Describe, Service } from '../service.ts'
import { type Call, pathsOf } from './call.ts'
import { adminCalls, deploymentCalls, serviceCalls } from './calls.ts'
import type { JsonRecord } from './json-schema.ts'
import { recordName, recordSchema } from './record-schema.ts'
import { ADMIN_SCHEMAS, ANSWER_SCHEMAS, DISCOVERY_SCHEMAS } from './schemas.ts'

export async function docsRoutes(app: FastifyInstance, service: Service, adapters?: Describe): Promise<void> {
  const { catalog, deployments } = service
  const isOpen = service.settings.documents !== 'key'
  // Encoded once: encoding half a megabyte for each caller would keep others waiting.
  const made = new Map<string, Buffer>()
  const documentOf = (callable: readonly Deployment[], isAdmin: boolean): Buffer => {
    const id = [isAdmin, ...callable.map(({ name }) => name)].join(' ')
    const bytes =
      made.get(id) ?? Buffer.from(JSON.stringify(openApiDocument(catalog, callable, adapters, isAdmin)))
    made.set(id, bytes)
    return bytes
  }
  const whole = documentOf(deployments, true)
  app.get('/openapi.json', { config: isOpen ? {} : { access: 'key' } }, ({ context: { key } }, reply) => {
    reply.type('application/json; charset=utf-8')
    if (isOpen) return reply.send(whole)
    if (key === undefined) throw new AppError('KEY_MISSING')
    const callable = deployments.filter(({ name }) => mayUse(key, name))
    return reply.send(documentOf(callable, mayAdminister(key)))
  })
  // The page would show everything to everybody.
  if (!isOpen) return
  await app.register(swagger, {
    mode: 'static',
    specification: { document: JSON.parse(whole.toString()) as never },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: PAGE_POLICY,
    // A key typed into the page is not kept for the next visit.
    uiConfig: { persistAuthorization: false, docExpansion: 'list', defaultModelsExpandDepth: 0 },
    theme: {
      title: 'Patient Risk Scoring Service',
      // There is only one document, so the bar to open others is hidden.
      css: [{ filename: 'theme.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  })
}

function openApiDocument(
  catalog: Catalog,
  deployments: readonly Deployment[],
  describeAdapters: Describe | undefined,
  isAdmin: boolean,
): JsonRecord {
  const calls: Call[] = []
  const records: Record<string, JsonRecord> = {}
  for (const deployment of deployments) {
    const fields = describeFields(catalog, deployment.model.definition, deployment.units)
    calls.push(...deploymentCalls(deployment, fields))
    records[recordName(deployment)] = recordSchema(fields)
  }
  const adapters = describeAdapters?.(deployments)
  calls.push(...(adapters?.calls ?? []), ...serviceCalls(), ...(isAdmin ? adminCalls() : []))
  const keysTag = { name: 'keys', description: 'The management of keys, for keys with the scope admin.' }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Patient Risk Scoring Service',
      version: packageVersion(),
      summary: 'A risk for each patient record, and every field-level problem at once.',
      description:
        'Post an array of patient records. Each record gets one result: its idx, a risk, and a list of problems or null. ' +
        'One bad record never costs another its answer, and a value that cannot be trusted gets no number.',
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ apiKey: [] }],
    tags: [
      ...deployments.map(({ name, model }) => ({ name, description: `${model.definition.title}.` })),
      { name: 'service', description: 'Probes and documents of the service itself.' },
      ...(isAdmin ? [keysTag] : []),
    ],
    paths: pathsOf(calls),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, prk_…, as `patient-risk keys create` prints it.',
        },
      },
      schemas: {
        ...records,
        ...adapters?.schemas,
        ...ANSWER_SCHEMAS,
        ...DISCOVERY_SCHEMAS,
        ...(isAdmin && ADMIN_SCHEMAS),
      },
    },
  }
}
