/** The OpenAPI document, and a page to read it and try it. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../openapi/document.ts'
import { PAGE_POLICY } from '../request/response-headers.ts'
import type { Service } from '../service.ts'
import { packageVersion } from '../../version.ts'

export async function docsRoutes(app: FastifyInstance, service: Service): Promise<void> {
  const document = openApiDocument(service.catalog, service.deployments, packageVersion())
  // Encoded once: encoding half a megabyte for each caller would keep others waiting.
  const bytes = Buffer.from(JSON.stringify(document))
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
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
