/** The schema of a patient record for one deployment, made from its field catalogue, and examples of its calls. */
import type { Deployment, FieldCatalogue, FieldDescription } from '@patient-risk/catalog'
import { type FieldCodes, writtenCode } from 'patient-risk-engine'
import { parseJson } from 'patient-risk-engine/read'

/** An example of a call by media type. */
export interface Examples {
  readonly request?: Readonly<Record<string, unknown>>
  readonly answer?: Readonly<Record<string, unknown>>
}

type Properties = Readonly<Record<string, object>>

/** The schema of any record: what all deployments have in common. */
interface AnyRecord {
  readonly type?: string
  readonly description?: string
  readonly properties?: Properties
}

/** The record of a deployment refers to the fields of scales, so that deployments share them. */
export interface RecordSchema {
  readonly record: object
  /** The fields of each scale, by the name of their component. */
  readonly scales: Properties
}

/** `taken` are the components that other deployments have made. One with another unit has a component of its own. */
export function recordSchema(
  deployment: string,
  { fields, scales }: FieldCatalogue,
  { description, properties, ...rest }: AnyRecord,
  taken: Properties,
): RecordSchema {
  const isUsed = ({ use }: FieldDescription): boolean => use !== 'unused'
  const ownFields = usedFirst(
    fields.filter(({ scale }) => scale === undefined),
    isUsed,
  )
  const required = ownFields.filter(({ use }) => use === 'required')
  const own = {
    ...rest,
    // A scale's total may be left out when all of its items are given.
    required: ['idx', ...required.map(({ name }) => name)],
    properties: { ...properties, ...propertiesOf(ownFields) },
  }
  const ofScales: Record<string, object> = {}
  for (const { id, title } of usedFirst(scales, ({ id }) =>
    fields.some((each) => each.scale === id && isUsed(each)),
  )) {
    const parts = fields.filter(({ scale }) => scale === id)
    const schema = { type: 'object', description: `${title}.`, properties: propertiesOf(parts) }
    const shared = `Scale.${id}`
    const isShared = taken[shared] === undefined || JSON.stringify(taken[shared]) === JSON.stringify(schema)
    ofScales[isShared ? shared : `${shared}.${deployment}`] = schema
  }
  const references = Object.keys(ofScales).map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return { record: { description, allOf: [own, ...references] }, scales: ofScales }
}

interface Merged {
  readonly $ref?: string
  readonly properties?: Properties
  readonly allOf?: readonly Merged[]
}

/** A record with the fields of its scales in it, in place of references to them. Other schemas stay as they are. */
export function mergeRecord(schema: Merged, schemas: Properties): object {
  const { allOf, ...rest } = schema
  if (allOf === undefined) return schema
  const parts = allOf.map((part): Merged => schemas[part.$ref?.split('/').at(-1) ?? ''] ?? part)
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Properties
  return { ...parts[0], ...rest, properties }
}

/** What the model uses comes first, so that a reader finds it. */
function usedFirst<T>(all: readonly T[], isUsed: (each: T) => boolean): readonly T[] {
  return [...all.filter(isUsed), ...all.filter((each) => !isUsed(each))]
}

function propertiesOf(fields: readonly FieldDescription[]): Properties {
  return Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)]))
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
  if (field.codes !== undefined) return codesSchema(field, field.codes, description)
  if (type === 'date') return { type: ['string', 'null'], pattern: '^\\d{2}-\\d{2}-\\d{4}$', description }
  const listed = decimals ?? (isConsecutive(values) ? values : undefined)
  if (listed === undefined) {
    const { minimum, maximum } = field
    return { type: [type, 'null'], enum: values && [...values, null], minimum, maximum, description }
  }
  const minimum = Math.min(...listed)
  const maximum = Math.max(...listed)
  return { type: [type, 'null'], minimum, maximum, multipleOf: decimals && stepOf(decimals), description }
}

/** Records carry the codes of the sender, and the values that keep their own meaning. */
function codesSchema({ type, values }: FieldDescription, codes: FieldCodes, description: string): object {
  const permitted = type === 'boolean' ? [true, false] : (values ?? [])
  const meant = new Set<unknown>(Object.values(codes))
  const plain = permitted.filter((value) => !meant.has(value) && !Object.hasOwn(codes, String(value)))
  const types = new Set([...Object.keys(codes), ...plain].map((value) => typeof value))
  const told = Object.entries(codes).map(([code, meaning]) => {
    return `${JSON.stringify(code)} ${meaning === null ? 'for no value' : `for ${JSON.stringify(meaning)}`}`
  })
  return {
    type: [...types, 'null'],
    enum: [...Object.keys(codes), ...plain, null],
    description: `${description} Sent as ${told.join(', ')}.`,
  }
}

function isDecimal(values: FieldDescription['values'] = []): values is readonly number[] {
  return values.some((value) => typeof value === 'number' && !Number.isInteger(value))
}

/** Whole numbers without a gap are a range. Some generators write a file for every list. */
function isConsecutive(values: FieldDescription['values'] = []): values is readonly number[] {
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b)
  return (
    sorted.length > 1 &&
    sorted.length === values.length &&
    sorted.every((value, at) => value === (sorted[0] ?? 0) + at)
  )
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
  const values = required.map((field) => [field.name, written(field, PATIENT[field.name] ?? lowest(field))])
  const records = [{ idx: 1, ...(Object.fromEntries(values) as object) }]
  const body = Buffer.from(JSON.stringify(records))
  const example = (call: 'score' | 'validate' | 'explain'): Examples => {
    const answer = parseJson(Buffer.from(scorer[call](body, TODAY).bytes).toString())
    return { request: { 'application/json': records }, answer: { 'application/json': answer } }
  }
  return { score: example('score'), validate: example('validate'), explain: example('explain') }
}

/** As a sender with the codes of the deployment writes it. */
function written({ codes }: FieldDescription, value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'boolean' ? writtenCode(codes, value) : value
}

function lowest({ type, values, minimum }: FieldDescription): unknown {
  return values?.[0] ?? (type === 'boolean' ? false : (minimum ?? 0))
}
