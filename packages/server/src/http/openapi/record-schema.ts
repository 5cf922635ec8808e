/** The schema of a patient record for one deployment, made from its field catalogue, and examples of its calls. */
import type { Deployment, FieldCatalogue, FieldDescription } from '@patient-risk/catalog'
import { parseJson } from 'patient-risk-engine/read'

/** An example of a call by media type. */
export interface Examples {
  readonly request?: Readonly<Record<string, unknown>>
  readonly answer?: Readonly<Record<string, unknown>>
}

/** The schema of any record, with the fields of a deployment. */
export function recordSchema(
  { fields }: FieldCatalogue,
  { properties, ...rest }: { readonly properties?: object } = {},
): object {
  // A scale's total may be left out when all of its items are given.
  const required = fields.filter(({ use, scale }) => use === 'required' && scale === undefined)
  return {
    ...rest,
    required: ['idx', ...required.map(({ name }) => name)],
    properties: {
      ...properties,
      ...Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    },
  }
}

function fieldSchema(field: FieldDescription): object {
  const { type, meaning, unit, window, values } = field
  // Generators for Java write code that does not compile for a list of decimals.
  const decimals = isDecimal(values) ? values : undefined
  const parts = [
    meaning.replace(/\.$/, ''),
    unit && `in ${unit}`,
    window && `over the ${window.replace(/^the /, '')}`,
    decimals && `one of ${decimals.join(', ')}`,
    field.use === 'required' && field.scale === undefined && 'required',
  ]
  const description = `${parts.filter(Boolean).join('; ')}.`
  if (type === 'date') return { type: ['string', 'null'], pattern: '^\\d{2}-\\d{2}-\\d{4}$', description }
  if (decimals === undefined) {
    const { minimum, maximum } = field
    return { type: [type, 'null'], enum: values && [...values, null], minimum, maximum, description }
  }
  const minimum = Math.min(...decimals)
  const maximum = Math.max(...decimals)
  return { type: [type, 'null'], minimum, maximum, multipleOf: stepOf(decimals), description }
}

function isDecimal(values: FieldDescription['values'] = []): values is readonly number[] {
  return values.some((value) => typeof value === 'number' && !Number.isInteger(value))
}

/** Halves and quarters are exact in binary, so that every validator divides them alike. */
function stepOf(values: readonly number[]): number | undefined {
  return [0.5, 0.25].find((step) => values.every((value) => Number.isInteger(value / step)))
}

/** Any fixed day: the examples carry no date. */
const TODAY = 20_260_101

/** A typical patient. Other required fields get their lowest permitted value. */
const PATIENT: Readonly<Record<string, unknown>> = {
  age: 84,
  sex: 'F',
  inpatientAdmissions: 2,
  emergencyAdmissions: 1,
  stayDays: 7,
}

/** Computed by the service itself, so that they cannot differ from its answers. */
export function scoringExamples(
  { scorer }: Deployment,
  { fields }: FieldCatalogue,
): Readonly<Record<string, Examples>> {
  const required = fields.filter(({ use }) => use === 'required')
  const values = required.map((field) => [field.name, PATIENT[field.name] ?? lowest(field)])
  const records = [{ idx: 1, ...(Object.fromEntries(values) as object) }]
  const body = Buffer.from(JSON.stringify(records))
  const example = (call: 'score' | 'validate' | 'explain'): Examples => {
    const answer = parseJson(Buffer.from(scorer[call](body, TODAY).bytes).toString())
    return { request: { 'application/json': records }, answer: { 'application/json': answer } }
  }
  return { score: example('score'), validate: example('validate'), explain: example('explain') }
}

function lowest({ type, values, minimum }: FieldDescription): unknown {
  return values?.[0] ?? (type === 'boolean' ? false : (minimum ?? 0))
}
