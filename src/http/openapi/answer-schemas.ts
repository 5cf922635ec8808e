/** Schemas of the answers. Tests hold every answer of the service against them. */
import { problemTable } from '../request/problem.ts'
import type { JsonRecord, JsonValue } from './json.ts'

const IDX: JsonRecord = {
  type: ['integer', 'null'],
  description: 'The idx of the record; null when it has no usable one.',
}
const RISK_NUMBER: JsonRecord = {
  type: ['number', 'null'],
  minimum: 0.0001,
  maximum: 0.9999,
  description: 'The probability, rounded to 4 decimals; null when a blocking problem is listed.',
}
const RISK_WORD: JsonRecord = {
  enum: ['Yes', 'No', null],
  description:
    'Yes when the rounded probability is at or above the threshold; null when a blocking problem is listed.',
}
const PROBLEMS: JsonRecord = {
  oneOf: [
    { type: 'null' },
    { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/ErrorItem' } },
  ],
  description: 'Every problem of the record; null if the record has no problem.',
}

export function answerSchemas(): Readonly<Record<string, JsonValue>> {
  return {
    ErrorItem: closed({
      Field: { type: 'string', description: 'Name of the request field, or record, idx or risk.' },
      FieldDate: {
        type: 'string',
        pattern: '^(\\d{2}-\\d{2}-\\d{4})?$',
        description: 'Date of the scale, DD-MM-YYYY, or empty.',
      },
      ExtendError: {
        type: 'string',
        pattern:
          '^(ValueError for value [\\s\\S]+ in idx -?\\d+ \\([\\s\\S]+\\)|ValueMissing for value [\\s\\S]+)$',
      },
    }),
    ResultNumber: closed({ idx: IDX, risk: RISK_NUMBER, error_message: PROBLEMS }),
    ResultYesNo: closed({ idx: IDX, risk: RISK_WORD, error_message: PROBLEMS }),
    Validity: closed({
      idx: IDX,
      valid: { type: 'boolean', description: 'Whether the record would get a risk.' },
      error_message: PROBLEMS,
    }),
    ExplainedNumber: closed({
      idx: IDX,
      risk: RISK_NUMBER,
      error_message: PROBLEMS,
      explanation: EXPLANATION,
    }),
    ExplainedYesNo: closed({ idx: IDX, risk: RISK_WORD, error_message: PROBLEMS, explanation: EXPLANATION }),
    Explanation: {
      ...closed(
        {
          model: { type: 'string' },
          score: { type: 'number', description: 'The added-up points of all terms.' },
          probability: { type: 'number' },
          terms: { type: 'array', items: { $ref: '#/components/schemas/ExplainedTerm' } },
        },
        { intercept: { type: 'number', description: 'What a logistic model adds before any term.' } },
      ),
    },
    ExplainedTerm: closed({
      label: { type: 'string' },
      kind: { type: 'string' },
      points: { type: 'number' },
      values: { type: 'array', items: { $ref: '#/components/schemas/ExplainedValue' } },
    }),
    ExplainedValue: closed(
      {
        field: { type: 'string' },
        value: { type: ['number', 'string', 'boolean'] },
        origin: { enum: ['given', 'computed', 'assumed'] },
      },
      {
        unit: {
          type: 'string',
          description: 'The unit of the value, where the field is received in another one.',
        },
        receivedIn: { type: 'string', description: 'The unit in which the field is received.' },
      },
    ),
    Problem: closed({
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      instance: { type: 'string', description: 'The request id.' },
      code: { enum: problemTable().map(({ code }) => code) },
    }),
  }
}

const EXPLANATION: JsonRecord = { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Explanation' }] }

/** An object with exactly these properties. */
export function closed(required: JsonRecord, optional: JsonRecord = {}): JsonRecord {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional },
  }
}
