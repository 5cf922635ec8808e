/** The operations of the service: those of each deployment, and those of the service itself. */
import type { Deployment } from '../../catalog/deployment.ts'
import type { FieldCatalogue } from '../../catalog/describe-fields.ts'
import type { JsonRecord, JsonValue } from './json.ts'
import { type CallExamples, callExamples } from './examples.ts'
import { LINES_TYPE } from '../request/read-body.ts'
import { recordName } from './record-schema.ts'

/** Statuses that any call with a key may answer. */
const KEYED = [400, 401, 403, 429, 500, 503] as const
export const WITH_BODY = [...KEYED, 408, 413, 415] as const

const MEANING: Readonly<Record<number, string>> = {
  400: 'Malformed JSON, not UTF-8, not an array, nested too deeply, or bad framing.',
  401: 'No key, or an unknown, expired, revoked or mistyped one.',
  403: 'A valid key without this deployment in its scope.',
  404: 'There is no such thing.',
  406: 'Another format than JSON is asked for.',
  408: 'The body did not arrive in time.',
  409: 'The key is revoked or expired.',
  412: 'Data that the service needs is not in the prefetch.',
  413: 'Over the limit of bytes or records.',
  415: 'Not JSON, or an unsupported content coding.',
  422: 'The Bundle is one page of several.',
  429: 'The key has used up its requests or records of this minute, or the address has shown too many bad keys.',
  500: 'A fault of the service.',
  503: 'Not ready, overloaded or stopping; try again later.',
}

const PROBLEM: JsonRecord = { 'application/problem+json': { schema: ref('Problem') } }

const STREAM_NOTE =
  'As application/x-ndjson, each record is one line and each result is one line, sent as it is ready. The array stands for these lines. ' +
  'A stream that is cut short has a problem document as its last line, and no proper end.'

export function deploymentPaths(
  deployment: Deployment,
  path: string,
  catalogue: FieldCatalogue,
): Readonly<Record<string, JsonValue>> {
  const kind = deployment.output.kind === 'number' ? 'Number' : 'YesNo'
  const examples = callExamples(deployment, catalogue)
  const post = (
    id: keyof CallExamples['answers'],
    summary: string,
    about: string,
    schema: string,
  ): JsonRecord => ({
    post: {
      operationId: `${deployment.name}-${id}`,
      tags: [deployment.name],
      summary,
      description: `${about} ${STREAM_NOTE}`,
      requestBody: {
        required: true,
        content: bothTypes(recordArray(deployment), examples.records),
      },
      responses: {
        200: {
          description: 'One result for each record, in the order of the request.',
          headers: SOURCE_HEADERS,
          content: bothTypes({ type: 'array', items: ref(schema) }, examples.answers[id]),
        },
        ...problems(WITH_BODY),
      },
    },
  })
  const get = (id: string, summary: string, schema: string): JsonRecord => ({
    get: {
      operationId: `${deployment.name}-${id}`,
      tags: [deployment.name],
      summary,
      description: `${summary}, as JSON, for the deployment ${deployment.name}.`,
      responses: { ...ok(ref(schema)), ...problems(KEYED) },
    },
  })
  const report = (id: string, summary: string, content: JsonRecord): JsonRecord => ({
    get: {
      operationId: `${deployment.name}-${id}`,
      tags: [deployment.name],
      summary,
      description: `${summary}. 404 when the model has no report.`,
      responses: { 200: { description: 'The report.', content }, ...problems([...KEYED, 404]) },
    },
  })
  return {
    [path]: post(
      'score',
      'Score patient records',
      'A risk and all problems for each record.',
      `Result${kind}`,
    ),
    [`${path}/validate`]: post(
      'validate',
      'Check patient records without scoring them',
      'The same problems as the scoring call, without a risk.',
      'Validity',
    ),
    [`${path}/explain`]: post(
      'explain',
      'Score patient records and list what contributed',
      'The same results as the scoring call, with the contribution of each term and the values used.',
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
      description: `${summary}. Needs no key.`,
      responses: { ...responses, ...problems([400]) },
    },
  })
  return {
    '/deployments': {
      get: {
        operationId: 'deployments',
        tags: ['service'],
        summary: 'What the key may use',
        description: 'The deployments in the scope of the key, and whether it may manage keys.',
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
        summary: 'Metrics for Prometheus',
        description:
          'Needs no key on the machine itself, and an admin key elsewhere, unless the configuration opens it.',
        responses: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
          ...problems([400, 401, 403, 500, 503]),
        },
      },
    },
    '/openapi.json': open('openapi', 'This document', ok({ type: 'object' })),
  }
}

const SOURCE_HEADERS: JsonRecord = {
  'Risk-Deployment': header('The deployment that answered.'),
  'Risk-Model': header('The model and its version.'),
  'Risk-Model-Digest': header('SHA-256 of the model file.'),
  'X-Request-Id': header('The id of this request.'),
}

function header(description: string): JsonRecord {
  return { description, schema: { type: 'string' } }
}

function recordArray(deployment: Deployment): JsonRecord {
  return {
    type: 'array',
    maxItems: deployment.limits.records,
    items: ref(recordName(deployment)),
  }
}

/** The two media types have one schema, so that a generated client gets one type. */
function bothTypes(schema: JsonRecord, example: JsonValue): JsonRecord {
  return { 'application/json': { schema, example }, [LINES_TYPE]: { schema } }
}

export function ref(schema: string): JsonRecord {
  return { $ref: `#/components/schemas/${schema}` }
}

function ok(schema: JsonRecord): JsonRecord {
  return { 200: { description: 'The answer.', content: { 'application/json': { schema } } } }
}

export function problems(statuses: readonly number[], content: JsonRecord = PROBLEM): JsonRecord {
  return Object.fromEntries(
    statuses.map((status) => [status, { description: MEANING[status] ?? '', content }]),
  )
}
