/**
 * The schema of a patient record for one deployment, made from its field catalogue, and examples of its calls. The answers
 * are computed, so they cannot differ from what the service gives.
 */
import type { Deployment } from '../../catalog/deployment.ts'
import type { FieldCatalogue, FieldDescription } from '../../catalog/describe-fields.ts'
import { type JsonRecord, type JsonValue, orNull } from './json-schema.ts'

export function recordSchema({ fields }: FieldCatalogue): JsonRecord {
  // A scale's total may be left out when all of its items are given.
  const required = fields.filter(({ use, scale }) => use === 'required' && scale === undefined)
  const idx = {
    type: 'integer',
    description: 'Index of the record within the request, unique in it. Echoed in the result.',
  }
  return {
    type: 'object',
    description:
      'A record. A value of null is the same as an absent one. What does not fit this schema is answered with a problem at its field.',
    required: ['idx', ...required.map(({ name }) => name)],
    properties: { idx, ...Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])) },
  }
}

function fieldSchema(field: FieldDescription): JsonRecord {
  const { type, meaning, unit, window, minimum, maximum, values } = field
  const parts = [
    meaning.replace(/\.$/, ''),
    unit && `in ${unit}`,
    window && `over the ${window.replace(/^the /, '')}`,
    field.use === 'required' && field.scale === undefined && 'required',
  ]
  const description = `${parts.filter(Boolean).join('; ')}.`
  if (type === 'date') return { ...orNull('string'), pattern: '^\\d{2}-\\d{2}-\\d{4}$', description }
  return { ...orNull(type), enum: values && [...values, null], minimum, maximum, description }
}

/** The schema's name for a deployment. */
export function recordName({ name }: Deployment): string {
  return `PatientRecord.${name}`
}

/** Any fixed day: the examples carry no date. */
const TODAY = 20_260_101

/** A patient of everyday life. Other required fields get their lowest permitted value. */
const PATIENT: JsonRecord = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }

export function callExamples(
  { scorer }: Deployment,
  { fields }: FieldCatalogue,
): {
  readonly records: readonly JsonRecord[]
  readonly answers: Readonly<Record<'score' | 'validate' | 'explain', JsonValue>>
} {
  const required = fields.filter(({ use }) => use === 'required')
  const values = required.map((field) => [field.name, PATIENT[field.name] ?? lowest(field)])
  const records = [{ idx: 1, ...(Object.fromEntries(values) as JsonRecord) }]
  const body = Buffer.from(JSON.stringify(records))
  const answerOf = (call: 'score' | 'validate' | 'explain'): JsonValue =>
    JSON.parse(Buffer.from(scorer[call](body, TODAY).bytes).toString()) as JsonValue
  return {
    records,
    answers: { score: answerOf('score'), validate: answerOf('validate'), explain: answerOf('explain') },
  }
}

function lowest({ type, values, minimum }: FieldDescription): JsonValue {
  if (values?.[0] !== undefined) return values[0]
  return type === 'boolean' ? false : (minimum ?? 0)
}
