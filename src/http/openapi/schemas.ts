/** Schemas of the answers. Tests compare every answer of the service with them. */
import { problemTable } from '../request/problem.ts'
import { NewKeyBody, RotationBody } from '../routes/admin.ts'
import { COUNT, FLAG, type JsonRecord, NUMBER, OBJECT, TEXT, TIME } from './json-schema.ts'
import { about, closed, each, list, mapOf, orNull, ref } from './json-schema.ts'

const IDX = about(orNull('integer'), 'The idx of the record; null when it has no usable one.')
const RISKS: Readonly<Record<'Number' | 'YesNo', JsonRecord>> = {
  Number: about(
    { ...orNull('number'), minimum: 0.0001, maximum: 0.9999 },
    'The probability, rounded to 4 decimals; null when a blocking problem is listed.',
  ),
  YesNo: about(
    { enum: ['Yes', 'No', null] },
    'Yes when the rounded probability is at or above the threshold; null when a blocking problem is listed.',
  ),
}
const PROBLEMS = about(
  { oneOf: [{ type: 'null' }, { type: 'array', minItems: 1, items: ref('ErrorItem') }] },
  'Every problem of the record; null if the record has no problem.',
)
const MESSAGE =
  '^(ValueError for value [\\s\\S]+ in idx -?\\d+ \\([\\s\\S]+\\)|ValueMissing for value [\\s\\S]+)$'

const result = (risk: JsonRecord, more: JsonRecord = {}): JsonRecord =>
  closed({ idx: IDX, risk, error_message: PROBLEMS, ...more })
const explanation: JsonRecord = { oneOf: [{ type: 'null' }, ref('Explanation')] }

export const ANSWER_SCHEMAS: JsonRecord = {
  ErrorItem: closed({
    Field: about(TEXT, 'Name of the request field, or record, idx or risk.'),
    FieldDate: about(
      { ...TEXT, pattern: '^(\\d{2}-\\d{2}-\\d{4})?$' },
      'Date of the scale, DD-MM-YYYY, or empty.',
    ),
    ExtendError: { ...TEXT, pattern: MESSAGE },
  }),
  ResultNumber: result(RISKS.Number),
  ResultYesNo: result(RISKS.YesNo),
  Validity: closed({
    idx: IDX,
    valid: about(FLAG, 'Whether the record would get a risk.'),
    error_message: PROBLEMS,
  }),
  ExplainedNumber: result(RISKS.Number, { explanation }),
  ExplainedYesNo: result(RISKS.YesNo, { explanation }),
  Explanation: closed(
    {
      model: TEXT,
      score: about(NUMBER, 'The added-up points of all terms.'),
      probability: NUMBER,
      terms: list(ref('ExplainedTerm')),
    },
    { intercept: about(NUMBER, 'What a logistic model adds before any term.') },
  ),
  ExplainedTerm: closed({ label: TEXT, kind: TEXT, points: NUMBER, values: list(ref('ExplainedValue')) }),
  ExplainedValue: closed(
    {
      field: TEXT,
      value: { type: ['number', 'string', 'boolean'] },
      origin: { enum: ['given', 'computed', 'assumed'] },
    },
    {
      unit: about(TEXT, 'The unit of the value, where the field is received in another one.'),
      receivedIn: about(TEXT, 'The unit in which the field is received.'),
    },
  ),
  Problem: closed({
    ...each(TEXT, 'type', 'title'),
    status: { type: 'integer' },
    detail: TEXT,
    instance: about(TEXT, 'The request id.'),
    code: { enum: problemTable().map(({ code }) => code) },
  }),
}

/** What describes the service and its deployments, and the probes. */
export const DISCOVERY_SCHEMAS: JsonRecord = {
  Field: closed(
    {
      name: TEXT,
      type: { enum: ['integer', 'number', 'string', 'boolean', 'date'] },
      meaning: TEXT,
      role: { enum: ['base', 'input', 'item', 'coding', 'context', 'subtotal', 'total', 'derived', 'date'] },
      use: { enum: ['required', 'optional', 'part', 'unused'] },
      models: list(TEXT),
      verified: FLAG,
    },
    {
      values: list({ type: ['number', 'string'] }),
      valueMeanings: mapOf(TEXT),
      minimum: NUMBER,
      step: about(NUMBER, 'Where only multiples of a step are permitted.'),
      modelUnit: about(TEXT, 'The unit that the model reads, where the deployment receives another one.'),
      maximum: NUMBER,
      unit: TEXT,
      otherUnits: about(mapOf(NUMBER), 'Other units in use, each with how many of it are one of `unit`.'),
      usual: about(
        closed({ from: NUMBER, to: NUMBER }),
        'Where the median of many records usually lies, in `unit`.',
      ),
      ...each(TEXT, 'window', 'includes', 'excludes', 'note', 'scale'),
      whenAbsent: { type: ['number', 'boolean', 'string'] },
      whyAbsent: TEXT,
    },
  ),
  FieldCatalogue: closed({ model: TEXT, fields: list(ref('Field')), scales: list(OBJECT) }),
  Model: {
    ...closed(
      {
        ...each(TEXT, 'id', 'version', 'title', 'digest'),
        ...each(FLAG, 'released', 'ready'),
        report: about(FLAG, 'Whether …/model/report has figures of it.'),
        card: OBJECT,
        inputs: list(ref('Field')),
        terms: list(OBJECT),
        ...each(OBJECT, 'link', 'source', 'licence', 'deployment'),
      },
      {
        threshold: OBJECT,
        profile: about(OBJECT, 'How the inputs were distributed in the data that the model comes from.'),
      },
    ),
    additionalProperties: true,
  },
  KeySummary: closed({
    key: closed({ id: TEXT, name: TEXT, expires: about(orNull('string'), 'When it ends, as ISO time.') }),
    admin: about(FLAG, 'Whether the key may use the management calls.'),
    idleLockMinutes: about(
      { type: 'integer' },
      'After how many minutes without activity the page signs out.',
    ),
    deployments: list(
      closed(
        {
          ...each(TEXT, 'name', 'basePath', 'title', 'model'),
          output: { enum: ['number', 'yes-no'] },
          ready: FLAG,
        },
        { threshold: NUMBER },
      ),
    ),
  }),
  Live: closed({ status: { const: 'live' } }),
  Ready: closed({
    status: { enum: ['ready', 'not ready'] },
    store: FLAG,
    deployments: list(closed({ name: TEXT, model: TEXT, ready: FLAG })),
  }),
}

const MADE: JsonRecord = { id: TEXT, key: about(TEXT, 'The key. It is shown here and never again.') }
const COUNTS = each(COUNT, 'requests', 'refused', 'records', 'scored')

const AUDIT_ROW: JsonRecord = closed(
  { seq: COUNT, ...each(TEXT, 'at', 'requestId'), keyId: orNull('string'), call: TEXT },
  {
    subject: about(TEXT, 'The key that a management call was about.'),
    ...each(orNull('string'), 'deployment', 'model'),
    status: COUNT,
    code: TEXT,
    ended: about(
      { enum: ['begun', 'complete', 'hung up', 'cut off'] },
      'Of a stream, which has two rows: that it has begun, and how it ended.',
    ),
    via: about({ enum: ['page'] }, 'The call came from the page of the service, not from another program.'),
    ...each(COUNT, 'records', 'scored'),
    problems: mapOf(COUNT),
    durationMs: NUMBER,
  },
)

export const ADMIN_SCHEMAS: JsonRecord = {
  Key: closed({
    ...each(TEXT, 'id', 'name'),
    scopes: list(TEXT),
    limits: OBJECT,
    created: TIME,
    ...each({ ...TIME, ...orNull('string') }, 'expires', 'revoked', 'lastUsed'),
    replaces: orNull('string'),
  }),
  NewKey: NewKeyBody as object as JsonRecord,
  Rotation: RotationBody as object as JsonRecord,
  MadeKey: closed(MADE),
  AuditPage: closed({
    rows: list(AUDIT_ROW),
    next: about(orNull('integer'), 'What `before` is for the next page.'),
  }),
  Usage: closed({
    complete: about(
      FLAG,
      'False when there were more rows than are counted at once; the oldest hours are then short.',
    ),
    keys: about(
      list(
        closed({
          keyId: TEXT,
          ...COUNTS,
          page: about(COUNT, 'Of the requests, those that came from the page of the service.'),
        }),
      ),
      'The same time by key, the most records first.',
    ),
    hours: list(closed({ at: about(TEXT, 'The start of the hour.'), ...COUNTS, problems: mapOf(COUNT) })),
  }),
  RotatedKey: closed({ ...MADE, replaces: TEXT }),
}
