/**
 * The schema of a patient record for one deployment, made from its field catalogue, and examples of its calls. The answers
 * are computed, so they cannot differ from what the service gives.
 */
import type { Deployment } from '../../catalog/deployment.ts'
import type { FieldCatalogue, FieldDescription } from '../../catalog/describe-fields.ts'
import type { JsonRecord, JsonValue } from './json-schema.ts'

export function recordSchema(catalogue: FieldCatalogue): JsonRecord {
  const properties: Record<string, JsonValue> = {
    idx: {
      type: 'integer',
      description: 'Index of the record within the request, unique in it. Echoed in the result.',
    },
  }
  for (const field of catalogue.fields) properties[field.name] = fieldSchema(field)
  return {
    type: 'object',
    description:
      'A record. A value of null is the same as an absent one. What does not fit this schema is answered with a problem at its field.',
    required: ['idx', ...catalogue.fields.filter(({ use }) => use === 'required').flatMap(requiredName)],
    properties,
  }
}

/** A scale's total may be left out when all of its items are given. */
function requiredName(field: FieldDescription): readonly string[] {
  return field.scale === undefined ? [field.name] : []
}

function fieldSchema(field: FieldDescription): JsonRecord {
  const description = [
    field.meaning.replace(/\.$/, ''),
    field.unit === undefined ? '' : `in ${field.unit}`,
    field.window === undefined ? '' : `over the ${field.window.replace(/^the /, '')}`,
    field.use === 'required' && field.scale === undefined ? 'required' : '',
  ]
  const text = `${description.filter((part) => part !== '').join('; ')}.`
  if (field.type === 'date') {
    return { type: ['string', 'null'], pattern: '^\\d{2}-\\d{2}-\\d{4}$', description: text }
  }
  return {
    type: [field.type, 'null'],
    ...(field.values === undefined ? {} : { enum: [...field.values, null] }),
    ...(field.minimum === undefined ? {} : { minimum: field.minimum }),
    ...(field.maximum === undefined ? {} : { maximum: field.maximum }),
    description: text,
  }
}

/** The schema's name for a deployment. */
export function recordName({ name }: Deployment): string {
  return `PatientRecord.${name}`
}

/** Any fixed day: the examples carry no date. */
const TODAY = 20_260_101

/** A patient of everyday life. Other required fields get their lowest permitted value. */
const PATIENT: Readonly<Record<string, JsonValue>> = {
  age: 84,
  sex: 'F',
  inpatientAdmissions: 2,
  emergencyAdmissions: 1,
  stayDays: 7,
}

export function callExamples(
  { scorer }: Deployment,
  { fields }: FieldCatalogue,
): {
  readonly records: readonly JsonRecord[]
  readonly answers: Readonly<Record<'score' | 'validate' | 'explain', JsonValue>>
} {
  const record: Record<string, JsonValue> = { idx: 1 }
  for (const field of fields.filter(({ use }) => use === 'required')) {
    record[field.name] = PATIENT[field.name] ?? lowest(field)
  }
  const body = new TextEncoder().encode(JSON.stringify([record]))
  const parse = (bytes: Uint8Array): JsonValue => JSON.parse(new TextDecoder().decode(bytes)) as JsonValue
  return {
    records: [record],
    answers: {
      score: parse(scorer.score(body, TODAY).bytes),
      validate: parse(scorer.validate(body, TODAY).bytes),
      explain: parse(scorer.explain(body, TODAY).bytes),
    },
  }
}

function lowest({ type, values, minimum }: FieldDescription): JsonValue {
  if (values?.[0] !== undefined) return values[0]
  return type === 'boolean' ? false : (minimum ?? 0)
}
