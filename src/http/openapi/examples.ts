/** Examples of the calls of a deployment. The answers are computed, so they cannot differ from what the service gives. */
import type { Deployment } from '../../catalog/deployment.ts'
import type { FieldCatalogue, FieldDescription } from '../../catalog/describe-fields.ts'
import type { JsonRecord, JsonValue } from './json.ts'

export interface CallExamples {
  readonly records: readonly JsonRecord[]
  readonly answers: Readonly<Record<'score' | 'validate' | 'explain', JsonValue>>
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

export function callExamples({ scorer }: Deployment, { fields }: FieldCatalogue): CallExamples {
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
