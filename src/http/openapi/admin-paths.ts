/** The management calls in the OpenAPI document. */
import { NewKeyBody, RotationBody } from '../request/admin-body.ts'
import { closed } from './answer-schemas.ts'
import type { JsonRecord, JsonValue } from './json.ts'
import { problems, ref } from './paths.ts'

const TIME_OR_NONE: JsonRecord = { type: ['string', 'null'], format: 'date-time' }
const MADE: Readonly<Record<string, JsonValue>> = {
  id: { type: 'string' },
  key: { type: 'string', description: 'The key. It is shown here and never again.' },
}

const COUNT: JsonRecord = { type: 'integer', minimum: 0 }
const COUNTS = { requests: COUNT, refused: COUNT, records: COUNT, scored: COUNT }
const NAME_OR_NONE: JsonRecord = { type: ['string', 'null'] }
const AUDIT_FACTS: JsonRecord = closed(
  {
    seq: COUNT,
    at: { type: 'string' },
    requestId: { type: 'string' },
    keyId: NAME_OR_NONE,
    call: { type: 'string' },
  },
  {
    subject: { type: 'string', description: 'The key that a management call was about.' },
    deployment: NAME_OR_NONE,
    model: NAME_OR_NONE,
    status: COUNT,
    code: { type: 'string' },
    ended: {
      enum: ['begun', 'complete', 'hung up', 'cut off'],
      description: 'Of a stream, which has two rows: that it has begun, and how it ended.',
    },
    records: COUNT,
    scored: COUNT,
    problems: { type: 'object', additionalProperties: COUNT },
    durationMs: { type: 'number' },
  },
)
const BEFORE: JsonRecord = figure('before', Number.MAX_SAFE_INTEGER, 'Only rows before this number.')

const AUDIT_FILTERS: readonly JsonRecord[] = [
  word('key', { type: 'string' }, 'Only answers to the key of this id.'),
  word('deployment', { type: 'string' }, 'Only answers of this deployment.'),
  word('from', { type: 'string', format: 'date-time' }, 'Only rows from this time on.'),
  word('to', { type: 'string', format: 'date-time' }, 'Only rows before this time.'),
  word('outcome', { enum: ['answered', 'refused'] }, 'Refused: a status of 400 or more.'),
  word('calls', { enum: ['scoring', 'management'] }, 'Calls that judge records, or all others.'),
]

export function word(name: string, schema: JsonRecord, description: string): JsonRecord {
  return { name, in: 'query', description, schema }
}

function figure(name: string, most: number, description: string): JsonRecord {
  return { name, in: 'query', description, schema: { type: 'integer', minimum: 1, maximum: most } }
}

export function adminSchemas(): Readonly<Record<string, JsonValue>> {
  return {
    Key: closed({
      id: { type: 'string' },
      name: { type: 'string' },
      scopes: { type: 'array', items: { type: 'string' } },
      limits: { type: 'object' },
      created: { type: 'string', format: 'date-time' },
      expires: TIME_OR_NONE,
      revoked: TIME_OR_NONE,
      lastUsed: TIME_OR_NONE,
      replaces: { type: ['string', 'null'] },
    }),
    NewKey: JSON.parse(JSON.stringify(NewKeyBody)) as JsonRecord,
    Rotation: JSON.parse(JSON.stringify(RotationBody)) as JsonRecord,
    MadeKey: closed(MADE),
    AuditPage: closed({
      rows: { type: 'array', items: AUDIT_FACTS },
      next: { type: ['integer', 'null'], description: 'What `before` is for the next page.' },
    }),
    Usage: closed({
      complete: {
        type: 'boolean',
        description:
          'False when there were more rows than are counted at once; the oldest hours are then short.',
      },
      keys: {
        type: 'array',
        description: 'The same time by key, the most records first.',
        items: closed({ keyId: { type: 'string' }, ...COUNTS }),
      },
      hours: {
        type: 'array',
        items: closed({
          at: { type: 'string', description: 'The start of the hour.' },
          ...COUNTS,
          problems: { type: 'object', additionalProperties: COUNT },
        }),
      },
    }),
    RotatedKey: closed({ ...MADE, replaces: { type: 'string' } }),
  }
}

export function adminPaths(): Readonly<Record<string, JsonValue>> {
  const id = { ...word('id', { type: 'string' }, 'The public id of the key.'), in: 'path', required: true }
  const call = (
    operationId: string,
    summary: string,
    status: number,
    schema: JsonRecord,
    further: readonly number[],
    body?: string,
  ): JsonRecord => ({
    operationId,
    tags: ['keys'],
    summary,
    description: `${summary}. For keys with the scope admin.`,
    ...(body && {
      requestBody: { required: body === 'NewKey', content: { 'application/json': { schema: ref(body) } } },
    }),
    responses: {
      [status]: { description: 'Done.', content: { 'application/json': { schema } } },
      ...problems([400, 401, 403, ...further, 429, 500, 503]),
    },
  })
  return {
    '/admin/keys': {
      get: call('keys-list', 'List the keys', 200, { type: 'array', items: ref('Key') }, []),
      post: call('keys-create', 'Make a key', 201, ref('MadeKey'), [408, 413, 415], 'NewKey'),
    },
    '/admin/audit': {
      parameters: [figure('most', 500, 'How many rows; 50 when left out.'), BEFORE, ...AUDIT_FILTERS],
      get: call('audit-list', 'Rows of the audit, newest first', 200, ref('AuditPage'), []),
    },
    '/admin/usage': {
      parameters: [figure('hours', 168, 'How many hours back; 24 when left out.')],
      get: call('usage', 'Use, hour by hour', 200, ref('Usage'), []),
    },
    '/admin/keys/{id}/rotate': {
      parameters: [id],
      post: call(
        'keys-rotate',
        'Replace a key, with an overlap',
        201,
        ref('RotatedKey'),
        [404, 408, 409, 413, 415],
        'Rotation',
      ),
    },
    '/admin/keys/{id}/revoke': {
      parameters: [id],
      post: call('keys-revoke', 'End a key at once', 200, ref('Key'), [404, 408, 413, 415]),
    },
  }
}
