/** The operations of the service: those of each deployment, and those of the service itself. */
import type { Deployment } from '../../catalog/deployment.ts'
import type { JsonRecord, JsonValue } from './json.ts'
import { LINES_TYPE } from '../request/read-body.ts'
import { recordName } from './record-schema.ts'

/** Statuses that any call with a key may answer. */
const KEYED = [400, 401, 403, 429, 500, 503] as const
const WITH_BODY = [...KEYED, 408, 413, 415] as const

const MEANING: Readonly<Record<number, string>> = {
  400: 'Malformed JSON, not UTF-8, not an array, nested too deeply, or bad framing.',
  401: 'No key, or an unknown, expired, revoked or mistyped one.',
  403: 'A valid key without this deployment in its scope.',
  404: 'There is no such thing.',
  408: 'The body did not arrive in time.',
  409: 'The key is revoked or expired.',
  413: 'Over the limit of bytes or records.',
  415: 'Not JSON, or an unsupported content coding.',
  429: 'The key has used up its requests or records of this minute, or the address has shown too many bad keys.',
  500: 'A fault of the service.',
  503: 'Not ready, overloaded or stopping; try again later.',
}

export function deploymentPaths(deployment: Deployment, path: string): Readonly<Record<string, JsonValue>> {
  const kind = deployment.output.kind === 'number' ? 'Number' : 'YesNo'
  const post = (id: string, summary: string, schema: string): JsonRecord => ({
    post: {
      operationId: `${deployment.name}-${id}`,
      tags: [deployment.name],
      summary,
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: recordArray(deployment), example: [EXAMPLE] },
          [LINES_TYPE]: {
            schema: { ...recordOf(deployment), description: 'Each line is one record.' },
            example: EXAMPLE,
          },
        },
      },
      responses: {
        ...ok({ type: 'array', items: ref(schema) }, SOURCE_HEADERS, {
          [LINES_TYPE]: {
            schema: {
              oneOf: [ref(schema), ref('Problem')],
              description:
                'Each line is one result. A stream that is cut short has a problem as its last line, and no proper end.',
            },
          },
        }),
        ...problems(WITH_BODY),
      },
    },
  })
  const get = (id: string, summary: string, schema: string): JsonRecord => ({
    get: {
      operationId: `${deployment.name}-${id}`,
      tags: [deployment.name],
      summary,
      responses: { ...ok(ref(schema)), ...problems(KEYED) },
    },
  })
  const report = (id: string, summary: string, content: JsonRecord): JsonRecord => ({
    get: {
      operationId: `${deployment.name}-${id}`,
      tags: [deployment.name],
      summary,
      responses: { 200: { description: 'The report.', content }, ...problems([...KEYED, 404]) },
    },
  })
  return {
    [path]: post('score', 'Score patient records', `Result${kind}`),
    [`${path}/validate`]: post('validate', 'Judge patient records without scoring them', 'Validity'),
    [`${path}/explain`]: post(
      'explain',
      'Score patient records and say what contributed',
      `Explained${kind}`,
    ),
    [`${path}/model`]: get('model', 'The model card', 'Model'),
    [`${path}/fields`]: get('fields', 'The field catalogue', 'FieldCatalogue'),
    [`${path}/model/report`]: report('report', 'Figures of the model on labelled data', {
      'application/json': { schema: { type: 'object' } },
    }),
    [`${path}/model/report.html`]: report('report-page', 'The same figures as a page', {
      'text/html': { schema: { type: 'string' } },
    }),
  }
}

export function servicePaths(): Readonly<Record<string, JsonValue>> {
  const open = (id: string, summary: string, responses: JsonRecord): JsonRecord => ({
    get: {
      operationId: id,
      tags: ['service'],
      security: [],
      summary,
      responses: { ...responses, ...problems([400]) },
    },
  })
  return {
    '/deployments': {
      get: {
        operationId: 'deployments',
        tags: ['service'],
        summary: 'What the key may use: its deployments, and whether it may manage',
        responses: { ...ok(ref('KeySummary')), ...problems([400, 401, 500, 503]) },
      },
    },
    '/health/live': open('live', 'Whether the process is alive', ok(ref('Live'))),
    '/health/ready': open('ready', 'Whether it may be given work', {
      ...ok(ref('Ready')),
      503: { description: 'Not ready.', content: { 'application/json': { schema: ref('Ready') } } },
    }),
    '/metrics': {
      get: {
        operationId: 'metrics',
        tags: ['service'],
        // Without a key from the machine itself, with an admin key from anywhere.
        security: [{}, { apiKey: [] }],
        summary: 'Figures for Prometheus',
        responses: {
          200: { description: 'The figures.', content: { 'text/plain': { schema: { type: 'string' } } } },
          ...problems([400, 401, 403, 500, 503]),
        },
      },
    },
    '/openapi.json': open('openapi', 'This document', ok({ type: 'object' })),
  }
}

const EXAMPLE: JsonRecord = {
  idx: 1,
  age: 84,
  sex: 'F',
  inpatientAdmissions: 2,
  emergencyAdmissions: 1,
  stayDays: 7,
}

const SOURCE_HEADERS: JsonRecord = {
  'Risk-Deployment': header('The deployment that answered.'),
  'Risk-Model': header('The model and its version.'),
  'Risk-Model-Digest': header('SHA-256 of the model file.'),
  'X-Request-Id': header('The name of this request.'),
}

function header(description: string): JsonRecord {
  return { description, schema: { type: 'string' } }
}

function recordArray(deployment: Deployment): JsonRecord {
  return {
    type: 'array',
    maxItems: deployment.limits.records,
    items: recordOf(deployment),
  }
}

function recordOf(deployment: Deployment): JsonRecord {
  return ref(recordName(deployment))
}

export function ref(schema: string): JsonRecord {
  return { $ref: `#/components/schemas/${schema}` }
}

function ok(schema: JsonRecord, headers?: JsonRecord, further: JsonRecord = {}): JsonRecord {
  return {
    200: {
      description: 'The answer.',
      ...(headers === undefined ? {} : { headers }),
      content: { 'application/json': { schema }, ...further },
    },
  }
}

export function problems(statuses: readonly number[]): JsonRecord {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: MEANING[status] ?? '',
        content: { 'application/problem+json': { schema: ref('Problem') } },
      },
    ]),
  )
}
