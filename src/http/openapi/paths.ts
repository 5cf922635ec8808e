/** The operations of the service: those of each deployment, and those of the service itself. */
import type { Deployment } from '../../catalog/deployment.ts'
import type { FieldCatalogue } from '../../catalog/describe-fields.ts'
import { LINES_TYPE } from '../request/read-body.ts'
import { type JsonRecord, type JsonValue, OBJECT, TEXT, list, ref } from './json-schema.ts'
import { callExamples, recordName } from './record-schema.ts'

const JSON_TYPE = 'application/json'
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

export function deploymentPaths(deployment: Deployment, path: string, catalogue: FieldCatalogue): JsonRecord {
  const { name, output, limits } = deployment
  const kind = output.kind === 'number' ? 'Number' : 'YesNo'
  const { records, answers } = callExamples(deployment, catalogue)
  const body = { type: 'array', maxItems: limits.records, items: ref(recordName(deployment)) }
  const post = (id: keyof typeof answers, summary: string, about: string, schema: string): JsonRecord => ({
    post: {
      ...operation(name, `${name}-${id}`, summary, `${about} ${STREAM_NOTE}`),
      requestBody: { required: true, content: bothTypes(body, records) },
      responses: {
        200: {
          description: 'One result for each record, in the order of the request.',
          headers: SOURCE_HEADERS,
          content: bothTypes(list(ref(schema)), answers[id]),
        },
        ...problems(WITH_BODY),
      },
    },
  })
  const get = (id: string, summary: string, schema: string): JsonRecord => ({
    get: {
      ...operation(name, `${name}-${id}`, summary, `${summary}, as JSON, for the deployment ${name}.`),
      responses: { ...ok(ref(schema)), ...problems(KEYED) },
    },
  })
  const report = (id: string, summary: string, type: string, schema: JsonRecord): JsonRecord => ({
    get: {
      ...operation(name, `${name}-${id}`, summary, `${summary}. 404 when the model has no report.`),
      responses: { ...ok(schema, type, 'The report.'), ...problems([...KEYED, 404]) },
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
    [`${path}/model/report`]: report('report', 'Figures of the model on labelled data', JSON_TYPE, OBJECT),
    [`${path}/model/report.html`]: report('report-page', 'The same figures as a page', 'text/html', TEXT),
  }
}

export function servicePaths(): JsonRecord {
  const get = (id: string, summary: string, description: string, more: JsonRecord): JsonRecord => ({
    get: { ...operation('service', id, summary, description), ...more },
  })
  const open = (id: string, summary: string, answers: JsonRecord): JsonRecord =>
    get(id, summary, `${summary}. Needs no key.`, {
      security: [],
      responses: { ...answers, ...problems([400]) },
    })
  return {
    '/deployments': get(
      'deployments',
      'What the key may use',
      'The deployments in the scope of the key, and whether it may manage keys.',
      { responses: { ...ok(ref('KeySummary')), ...problems([400, 401, 500, 503]) } },
    ),
    '/health/live': open('live', 'Whether the process is alive', ok(ref('Live'))),
    '/health/ready': open('ready', 'Whether it may be given work', {
      ...ok(ref('Ready')),
      503: { description: 'Not ready.', content: { [JSON_TYPE]: { schema: ref('Ready') } } },
    }),
    '/metrics': get(
      'metrics',
      'Metrics for Prometheus',
      'Needs no key on the machine itself, and an admin key elsewhere, unless the configuration opens it.',
      {
        // Without a key from the machine itself, with an admin key from anywhere.
        security: [{}, { apiKey: [] }],
        responses: { ...ok(TEXT, 'text/plain', 'The metrics.'), ...problems([400, 401, 403, 500, 503]) },
      },
    ),
    '/openapi.json': open('openapi', 'This document', ok(OBJECT)),
  }
}

const header = (description: string, required = true): JsonRecord => ({ description, required, schema: TEXT })
const SOURCE_HEADERS: JsonRecord = {
  'Risk-Deployment': header('The deployment that answered.'),
  'Risk-Model': header('The model and its version.'),
  'Risk-Model-Digest': header('SHA-256 of the model file.'),
  'Risk-Unit-Doubt': header('Fields whose values are probably in another unit.', false),
  'X-Request-Id': header('The id of this request.'),
}

/** The two media types have one schema, so that a generated client gets one type. */
function bothTypes(schema: JsonRecord, example: JsonValue): JsonRecord {
  return { [JSON_TYPE]: { schema, example }, [LINES_TYPE]: { schema } }
}

export function operation(
  tag: string,
  operationId: string,
  summary: string,
  description: string,
): JsonRecord {
  return { operationId, tags: [tag], summary, description }
}

function ok(schema: JsonRecord, type = JSON_TYPE, description = 'The answer.'): JsonRecord {
  return { 200: { description, content: { [type]: { schema } } } }
}

export function problems(statuses: readonly number[], content: JsonRecord = PROBLEM): JsonRecord {
  return Object.fromEntries(
    statuses.map((status) => [status, { description: MEANING[status] ?? '', content }]),
  )
}
