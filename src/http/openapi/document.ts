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
import { SCORING_PATH } from '../routes/scoring.ts'
import type { Describe, Service } from '../service.ts'
import { adminPaths, adminSchemas } from './admin-paths.ts'
import { answerSchemas } from './answer-schemas.ts'
import { discoverySchemas } from './discovery-schemas.ts'
import type { JsonRecord, JsonValue } from './json-schema.ts'
import { deploymentPaths, servicePaths } from './paths.ts'
import { recordName, recordSchema } from './record-schema.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export async function docsRoutes(app: FastifyInstance, service: Service, adapters?: Describe): Promise<void> {
  if (service.settings.documents === 'key') {
    documentByKey(app, service, adapters)
    return
  }
  const document = openApiDocument(service.catalog, service.deployments, adapters)
  // Encoded once: encoding half a megabyte for each caller would keep others waiting.
  const bytes = Buffer.from(JSON.stringify(document))
  app.get('/openapi.json', (_request, reply) => reply.type(JSON_TYPE).send(bytes))
  await app.register(swagger, { mode: 'static', specification: { document: document as never } })
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

/** The document with what the caller's key may call. The page is not served: it would show everything to everybody. */
function documentByKey(app: FastifyInstance, { catalog, deployments }: Service, adapters?: Describe): void {
  const made = new Map<string, Buffer>()
  app.get('/openapi.json', { config: { access: 'key' } }, ({ context: { key } }, reply) => {
    if (key === undefined) throw new AppError('KEY_MISSING')
    const callable = deployments.filter(({ name }) => mayUse(key, name))
    const isAdmin = mayAdminister(key)
    const id = [isAdmin, ...callable.map(({ name }) => name)].join(' ')
    const bytes =
      made.get(id) ?? Buffer.from(JSON.stringify(openApiDocument(catalog, callable, adapters, isAdmin)))
    made.set(id, bytes)
    return reply.type(JSON_TYPE).send(bytes)
  })
}

function openApiDocument(
  catalog: Catalog,
  deployments: readonly Deployment[],
  describeAdapters?: Describe,
  isAdmin = true,
): JsonRecord {
  const paths: Record<string, JsonValue> = {}
  const records: Record<string, JsonValue> = {}
  for (const deployment of deployments) {
    const fields = describeFields(catalog, deployment.model.definition, deployment.units)
    Object.assign(paths, deploymentPaths(deployment, deployment.basePath + SCORING_PATH, fields))
    records[recordName(deployment)] = recordSchema(fields)
  }
  const adapters = describeAdapters?.(deployments)
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
      ...(isAdmin
        ? [{ name: 'keys', description: 'The management of keys, for keys with the scope admin.' }]
        : []),
    ],
    paths: { ...paths, ...adapters?.paths, ...servicePaths(), ...(isAdmin ? adminPaths() : {}) },
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
        ...answerSchemas(),
        ...discoverySchemas(),
        ...(isAdmin ? adminSchemas() : {}),
      },
    },
  }
}
