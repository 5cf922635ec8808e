/** The management calls in the OpenAPI document. */
import { NewKeyBody, RotationBody } from '../routes/admin.ts'
import {
  COUNT,
  FLAG,
  type JsonRecord,
  NUMBER,
  OBJECT,
  TEXT,
  closed,
  each,
  list,
  mapOf,
  ref,
} from './json-schema.ts'
import { operation, problems } from './paths.ts'

const TIME: JsonRecord = { type: 'string', format: 'date-time' }
const TIME_OR_NONE: JsonRecord = { type: ['string', 'null'], format: 'date-time' }
const NAME_OR_NONE: JsonRecord = { type: ['string', 'null'] }
const MADE: JsonRecord = {
  id: TEXT,
  key: { ...TEXT, description: 'The key. It is shown here and never again.' },
}
const COUNTS = each(COUNT, 'requests', 'refused', 'records', 'scored')

const AUDIT_ROW: JsonRecord = closed(
  { seq: COUNT, at: TEXT, requestId: TEXT, keyId: NAME_OR_NONE, call: TEXT },
  {
    subject: { ...TEXT, description: 'The key that a management call was about.' },
    ...each(NAME_OR_NONE, 'deployment', 'model'),
    status: COUNT,
    code: TEXT,
    ended: {
      enum: ['begun', 'complete', 'hung up', 'cut off'],
      description: 'Of a stream, which has two rows: that it has begun, and how it ended.',
    },
    via: {
      enum: ['page'],
      description: 'The call came from the page of the service, not from another program.',
    },
    ...each(COUNT, 'records', 'scored'),
    problems: mapOf(COUNT),
    durationMs: NUMBER,
  },
)

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

export function word(name: string, schema: JsonRecord, description: string): JsonRecord {
  return { name, in: 'query', description, schema }
}

function figure(name: string, most: number, description: string): JsonRecord {
  return word(name, { type: 'integer', minimum: 1, maximum: most }, description)
}

export function adminSchemas(): JsonRecord {
  return {
    Key: closed({
      ...each(TEXT, 'id', 'name'),
      scopes: list(TEXT),
      limits: OBJECT,
      created: TIME,
      ...each(TIME_OR_NONE, 'expires', 'revoked', 'lastUsed'),
      replaces: NAME_OR_NONE,
    }),
    NewKey: JSON.parse(JSON.stringify(NewKeyBody)) as JsonRecord,
    Rotation: JSON.parse(JSON.stringify(RotationBody)) as JsonRecord,
    MadeKey: closed(MADE),
    AuditPage: closed({
      rows: list(AUDIT_ROW),
      next: { type: ['integer', 'null'], description: 'What `before` is for the next page.' },
    }),
    Usage: closed({
      complete: {
        ...FLAG,
        description:
          'False when there were more rows than are counted at once; the oldest hours are then short.',
      },
      keys: {
        ...list(closed({ keyId: TEXT, ...COUNTS })),
        description: 'The same time by key, the most records first.',
      },
      hours: list(
        closed({
          at: { ...TEXT, description: 'The start of the hour.' },
          ...COUNTS,
          problems: mapOf(COUNT),
        }),
      ),
    }),
    RotatedKey: closed({ ...MADE, replaces: TEXT }),
  }
}

const BODY = [408, 413, 415]

export function adminPaths(): JsonRecord {
  const parameters = [{ ...word('id', TEXT, 'The public id of the key.'), in: 'path', required: true }]
  const call = (
    id: string,
    summary: string,
    [status, schema]: readonly [number, JsonRecord],
    further: readonly number[] = [],
    body?: string,
  ): JsonRecord => ({
    ...operation('keys', id, summary, `${summary}. For keys with the scope admin.`),
    ...(body && {
      requestBody: { required: body === 'NewKey', content: { 'application/json': { schema: ref(body) } } },
    }),
    responses: {
      [status]: { description: 'Done.', content: { 'application/json': { schema } } },
      ...problems([400, 401, 403, ...further, 429, 500, 503]),
    },
  })
  const rotated = [404, 409, ...BODY]
  return {
    '/admin/keys': {
      get: call('keys-list', 'List the keys', [200, list(ref('Key'))]),
      post: call('keys-create', 'Make a key', [201, ref('MadeKey')], BODY, 'NewKey'),
    },
    '/admin/audit': {
      parameters: AUDIT_QUERY,
      get: call('audit-list', 'Rows of the audit, newest first', [200, ref('AuditPage')]),
    },
    '/admin/usage': {
      parameters: [figure('hours', 168, 'How many hours back; 24 when left out.')],
      get: call('usage', 'Use, hour by hour', [200, ref('Usage')]),
    },
    '/admin/keys/{id}/rotate': {
      parameters,
      post: call(
        'keys-rotate',
        'Replace a key, with an overlap',
        [201, ref('RotatedKey')],
        rotated,
        'Rotation',
      ),
    },
    '/admin/keys/{id}/revoke': {
      parameters,
      post: call('keys-revoke', 'End a key at once', [200, ref('Key')], [404, ...BODY]),
    },
  }
}
