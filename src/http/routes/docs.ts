/** The OpenAPI document, and a page to read it and try it. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'
import { mayAdminister, mayUse } from '../../store/keys/key-rules.ts'
import { type Describe, openApiDocument } from '../openapi/document.ts'
import { PAGE_POLICY } from '../request/response-headers.ts'
import type { Service } from '../service.ts'

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
