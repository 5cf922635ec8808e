/** What a CDS service asks for in advance, generated from the mapping, and the resources that a request brings. */
import { AppError } from '../../errors.ts'
import { type Json, isObject } from '../fhir/json.ts'
import { FIELD_SYSTEM, type Mapping, type MappedCoding } from '../fhir/mapping.ts'
import type { Wanted } from '../fhir/read-patient.ts'
import { type Submission, hasNextPage, readSubmission } from '../fhir/submission.ts'

const PATIENT = '{{context.patientId}}'

/** A template cannot say "the last 12 months", so the newest come first and are filtered here. */
export function prefetchTemplates(
  { fields, scales }: Wanted,
  mapping: Mapping,
): Readonly<Record<string, string>> {
  const entries = fields.map((name) => mapping.fields[name])
  const derived = scales.flatMap(({ id }) =>
    Object.keys(mapping.fields).filter((name) => name.startsWith(`${id}_`)),
  )
  const needs = (resource: string): boolean =>
    [...entries, ...derived.map((name) => mapping.fields[name])].some((entry) => entry?.resource === resource)
  const own = (code: string): MappedCoding => ({ system: FIELD_SYSTEM, code })
  const codes = [
    ...fields.flatMap((name) => {
      const entry = mapping.fields[name]
      return entry?.take === 'latest' ? entry.codes : entry === undefined ? [own(name)] : []
    }),
    ...scales.flatMap(({ id, items }) => {
      const { total = [], panel = [], items: coded = {} } = mapping.scales[id] ?? {}
      const ownItems = Object.keys(items).map((item) => own(`${id}_${item}`))
      return [...total, ...panel, ...Object.values(coded).flat(), own(`${id}_total`), ...ownItems]
    }),
  ]
  const search = (type: string, more: string): string => `${type}?patient=${PATIENT}${more}&_count=200`
  return {
    patient: `Patient/${PATIENT}`,
    encounters: search('Encounter', '&_sort=-date'),
    ...(codes.length === 0
      ? {}
      : { observations: search('Observation', `&code=${codes.map(token).join(',')}&_sort=-date`) }),
    ...(needs('Condition') ? { conditions: search('Condition', '') } : {}),
    ...(needs('Procedure') ? { procedures: search('Procedure', '&_sort=-date') } : {}),
    ...(scales.length === 0
      ? {}
      : { responses: search('QuestionnaireResponse', '&status=completed,amended') }),
  }
}

function token({ system, code }: MappedCoding): string {
  return `${system}|${code}`
}

const TYPES: Readonly<Record<string, string>> = {
  encounters: 'Encounter',
  conditions: 'Condition',
  procedures: 'Procedure',
}

export interface Prefetched {
  readonly submission: Submission
  /** The types of which everything was fetched. A value of null means that nothing was found. */
  readonly complete: ReadonlySet<string>
  /** Whether something that the templates ask for was not fetched. */
  readonly isPartial: boolean
}

export function readPrefetch(given: unknown, templates: Readonly<Record<string, string>>): Prefetched {
  const prefetch = isObject(given) ? given : {}
  const parameter: Json[] = []
  const complete = new Set<string>()
  let isPartial = false
  for (const key of Object.keys(templates)) {
    const value = Object.hasOwn(prefetch, key) ? prefetch[key] : undefined
    if (isObject(value) && value['resourceType'] === 'Bundle' && hasNextPage(value))
      throw incomplete(key, 'has more pages')
    // The client could not fetch it, and says why.
    const isFailed = value === undefined || (isObject(value) && value['resourceType'] === 'OperationOutcome')
    if (isFailed && (key === 'patient' || key === 'encounters')) throw incomplete(key, 'is missing')
    if (isFailed) isPartial = true
    else if (TYPES[key] !== undefined) complete.add(TYPES[key])
    if (isObject(value) && !isFailed) parameter.push({ name: key, resource: value })
  }
  return { submission: readSubmission({ resourceType: 'Parameters', parameter }), complete, isPartial }
}

export function incomplete(key: string, what: string): AppError {
  return new AppError('PREFETCH_INCOMPLETE', `The prefetch ${key} ${what}.`)
}
