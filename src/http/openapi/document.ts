/** The OpenAPI 3.1 document, made from the same definitions that the service answers by. */
import type { Catalog } from '../../catalog/catalog.ts'
import type { Deployment } from '../../catalog/deployment.ts'
import { describeFields } from '../../catalog/describe-fields.ts'
import { packageVersion } from '../../version.ts'
import { SCORING_PATH } from '../scoring/path.ts'
import { adminPaths, adminSchemas } from './admin-paths.ts'
import { answerSchemas } from './answer-schemas.ts'
import { discoverySchemas } from './discovery-schemas.ts'
import type { JsonRecord, JsonValue } from './json-schema.ts'
import { deploymentPaths, servicePaths } from './paths.ts'
import { recordName, recordSchema } from './record-schema.ts'

/** The paths and schemas of further interfaces. */
export type Describe = (
  deployments: readonly Deployment[],
) => Readonly<Record<'paths' | 'schemas', JsonRecord>>

export function openApiDocument(
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
