/** Schemas of the answers. Tests hold every answer of the service against them. */
import { problemTable } from '../request/problem.ts'
import { FLAG, type JsonRecord, NUMBER, TEXT, closed, list, ref } from './json-schema.ts'

const IDX: JsonRecord = {
  type: ['integer', 'null'],
  description: 'The idx of the record; null when it has no usable one.',
}
const RISK: Readonly<Record<'Number' | 'YesNo', JsonRecord>> = {
  Number: {
    type: ['number', 'null'],
    minimum: 0.0001,
    maximum: 0.9999,
    description: 'The probability, rounded to 4 decimals; null when a blocking problem is listed.',
  },
  YesNo: {
    enum: ['Yes', 'No', null],
    description:
      'Yes when the rounded probability is at or above the threshold; null when a blocking problem is listed.',
  },
}
const PROBLEMS: JsonRecord = {
  oneOf: [{ type: 'null' }, { type: 'array', minItems: 1, items: ref('ErrorItem') }],
  description: 'Every problem of the record; null if the record has no problem.',
}
const MESSAGE =
  '^(ValueError for value [\\s\\S]+ in idx -?\\d+ \\([\\s\\S]+\\)|ValueMissing for value [\\s\\S]+)$'

const result = (risk: JsonRecord, more: JsonRecord = {}): JsonRecord =>
  closed({ idx: IDX, risk, error_message: PROBLEMS, ...more })
const explanation: JsonRecord = { oneOf: [{ type: 'null' }, ref('Explanation')] }

export function answerSchemas(): JsonRecord {
  return {
    ErrorItem: closed({
      Field: { ...TEXT, description: 'Name of the request field, or record, idx or risk.' },
      FieldDate: {
        ...TEXT,
        pattern: '^(\\d{2}-\\d{2}-\\d{4})?$',
        description: 'Date of the scale, DD-MM-YYYY, or empty.',
      },
      ExtendError: { ...TEXT, pattern: MESSAGE },
    }),
    ResultNumber: result(RISK.Number),
    ResultYesNo: result(RISK.YesNo),
    Validity: closed({
      idx: IDX,
      valid: { ...FLAG, description: 'Whether the record would get a risk.' },
      error_message: PROBLEMS,
    }),
    ExplainedNumber: result(RISK.Number, { explanation }),
    ExplainedYesNo: result(RISK.YesNo, { explanation }),
    Explanation: closed(
      {
        model: TEXT,
        score: { ...NUMBER, description: 'The added-up points of all terms.' },
        probability: NUMBER,
        terms: list(ref('ExplainedTerm')),
      },
      { intercept: { ...NUMBER, description: 'What a logistic model adds before any term.' } },
    ),
    ExplainedTerm: closed({ label: TEXT, kind: TEXT, points: NUMBER, values: list(ref('ExplainedValue')) }),
    ExplainedValue: closed(
      {
        field: TEXT,
        value: { type: ['number', 'string', 'boolean'] },
        origin: { enum: ['given', 'computed', 'assumed'] },
      },
      {
        unit: { ...TEXT, description: 'The unit of the value, where the field is received in another one.' },
        receivedIn: { ...TEXT, description: 'The unit in which the field is received.' },
      },
    ),
    Problem: closed({
      type: TEXT,
      title: TEXT,
      status: { type: 'integer' },
      detail: TEXT,
      instance: { ...TEXT, description: 'The request id.' },
      code: { enum: problemTable().map(({ code }) => code) },
    }),
  }
}
