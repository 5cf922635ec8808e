/** The calls of the service: those of each deployment, those of the service itself, and the management of keys. */
import type { Deployment } from '../../catalog/deployment.ts'
import type { FieldCatalogue } from '../../catalog/describe-fields.ts'
import { LINES_TYPE } from '../request/read-body.ts'
import { SCORING_PATH } from '../routes/scoring.ts'
import { type Call, type Content, KEYED, WITH_BODY, call, json, word } from './call.ts'
import { type JsonRecord, type JsonValue, OBJECT, TEXT, TIME, list, ref } from './json-schema.ts'
import { callExamples, recordName } from './record-schema.ts'

const RESULTS_NOTE =
  'One result for each record, in the order of the request. ' +
  'As application/x-ndjson, each record is one line and each result is one line, sent as it is ready. The array stands for these lines. ' +
  'A stream that is cut short has a problem document as its last line, and no proper end.'

const header = (description: string, required = true): JsonRecord => ({ description, required, schema: TEXT })
const SOURCE_HEADERS: JsonRecord = {
  'Risk-Deployment': header('The deployment that answered.'),
  'Risk-Model': header('The model and its version.'),
  'Risk-Model-Digest': header('SHA-256 of the model file.'),
  'Risk-Unit-Doubt': header('Fields whose values are probably in another unit.', false),
  'X-Request-Id': header('The id of this request.'),
}

/** The two media types have one schema, so that a generated client gets one type. */
function bothTypes(schema: JsonRecord, example: JsonValue): Content {
  return { 'application/json': { schema, example }, [LINES_TYPE]: { schema, example } }
}

export function deploymentCalls(deployment: Deployment, catalogue: FieldCatalogue): readonly Call[] {
  const { name, output, limits } = deployment
  const path = deployment.basePath + SCORING_PATH
  const kind = output.kind === 'number' ? 'Number' : 'YesNo'
  const { records, answers } = callExamples(deployment, catalogue)
  const posted = { type: 'array', maxItems: limits.records, items: ref(recordName(deployment)) }
  const scoring = (id: keyof typeof answers, schema: string, summary: string, about: string): Call =>
    call(name, id === 'score' ? path : `${path}/${id}`, `${name}-${id}`, summary, {
      description: `${about} ${RESULTS_NOTE}`,
      body: bothTypes(posted, records),
      answers: { 200: bothTypes(list(ref(schema)), answers[id]) },
      headers: SOURCE_HEADERS,
      refusals: WITH_BODY,
    })
  const about = (place: string, id: string, answer: Content, summary: string, note = ''): Call =>
    call(name, path + place, `${name}-${id}`, summary, {
      description: `${summary}, for the deployment ${name}.${note}`,
      example: id,
      answers: { 200: answer },
      refusals: [...KEYED, ...(note === '' ? [] : [404])],
    })
  const unreported = ' 404 when the model has no report.'
  const page = { 'text/html': { schema: TEXT } }
  return [
    scoring('score', `Result${kind}`, 'Score patient records', 'A risk and all problems for each record.'),
    scoring(
      'validate',
      'Validity',
      'Check patient records without scoring them',
      'The same problems as the scoring call, without a risk.',
    ),
    scoring(
      'explain',
      `Explained${kind}`,
      'Score patient records and list what contributed',
      'The same results as the scoring call, with the contribution of each term and the values used.',
    ),
    about('/model', 'model', json(ref('Model')), 'The model card'),
    about('/fields', 'fields', json(ref('FieldCatalogue')), 'The field catalogue'),
    about('/model/report', 'report', json(OBJECT), 'Figures of the model on labelled data', unreported),
    about('/model/report.html', 'report-page', page, 'The same figures as a page', unreported),
  ]
}

export function serviceCalls(): readonly Call[] {
  const open = (path: string, id: string, summary: string, answers: Call['answers']): Call =>
    call('service', path, id, summary, {
      description: `${summary}. Needs no key.`,
      security: [],
      answers,
      refusals: [400],
    })
  const ready = json(ref('Ready'))
  return [
    call('service', '/deployments', 'deployments', 'What the key may use', {
      description: 'The deployments in the scope of the key, and whether it may manage keys.',
      answers: { 200: json(ref('KeySummary')) },
      refusals: [400, 401, 500, 503],
    }),
    open('/health/live', 'live', 'Whether the process is alive', { 200: json(ref('Live')) }),
    open('/health/ready', 'ready', 'Whether it may be given work', { 200: ready, 503: ready }),
    call('service', '/metrics', 'metrics', 'Metrics for Prometheus', {
      description:
        'Needs no key on the machine itself, and an admin key elsewhere, unless the configuration opens it.',
      security: [{}, { apiKey: [] }],
      answers: { 200: { 'text/plain': { schema: TEXT } } },
      refusals: [400, 401, 403, 500, 503],
    }),
    open('/openapi.json', 'openapi', 'This document', { 200: json(OBJECT) }),
  ]
}

const figure = (name: string, most: number, description: string): JsonRecord =>
  word(name, { type: 'integer', minimum: 1, maximum: most }, description)

const AUDIT_QUERY: readonly JsonRecord[] = [
  figure('most', 500, 'How many rows; 50 when left out.'),
  figure('before', Number.MAX_SAFE_INTEGER, 'Only rows before this number.'),
  word('key', TEXT, 'Only answers to the key of this id.'),
  word('deployment', TEXT, 'Only answers of this deployment.'),
  word('from', TIME, 'Only rows from this time on.'),
  word('to', TIME, 'Only rows before this time.'),
  word('outcome', { enum: ['answered', 'refused'] }, 'Refused: a status of 400 or more.'),
  word('calls', { enum: ['scoring', 'management'] }, 'Calls that judge records, or all others.'),
]
const KEY_ID = [{ ...word('id', TEXT, 'The public id of the key.'), in: 'path', required: true }]

export function adminCalls(): readonly Call[] {
  const admin = (
    path: string,
    id: string,
    summary: string,
    details: Partial<Call> & Pick<Call, 'answers'>,
  ): Call =>
    call('keys', `/admin/${path}`, id, summary, {
      description: `${summary}. For keys with the scope admin.`,
      refusals: KEYED,
      ...details,
    })
  return [
    admin('keys', 'keys-list', 'List the keys', { answers: { 200: json(list(ref('Key'))) } }),
    admin('keys', 'keys-create', 'Make a key', {
      body: json(ref('NewKey')),
      answers: { 201: json(ref('MadeKey')) },
      refusals: WITH_BODY,
    }),
    admin('audit', 'audit-list', 'Rows of the audit, newest first', {
      parameters: AUDIT_QUERY,
      answers: { 200: json(ref('AuditPage')) },
    }),
    admin('usage', 'usage', 'Use, hour by hour', {
      parameters: [figure('hours', 168, 'How many hours back; 24 when left out.')],
      answers: { 200: json(ref('Usage')) },
    }),
    admin('keys/{id}/rotate', 'keys-rotate', 'Replace a key, with an overlap', {
      parameters: KEY_ID,
      body: json(ref('Rotation')),
      isBodyOptional: true,
      answers: { 201: json(ref('RotatedKey')) },
      refusals: [...WITH_BODY, 404, 409],
    }),
    admin('keys/{id}/revoke', 'keys-revoke', 'End a key at once', {
      method: 'post',
      parameters: KEY_ID,
      answers: { 200: json(ref('Key')) },
      refusals: [...WITH_BODY, 404],
    }),
  ]
}
