/** What a CDS service asks for in advance, generated from the mapping, and the resources that a request brings. */
import { AppError } from '../../errors.ts'
import { keyOf } from '../fhir/read/chart.ts'
import { FIELD_SYSTEM, type Json, inside, isObject, listOf } from '../fhir/json.ts'
import type { Mapping, MappedCoding } from '../fhir/mapping.ts'
import type { Wanted } from '../fhir/read/read-patient.ts'
import { type Submission, isFailure, partOfResult, readSubmission } from '../fhir/read/submission.ts'

/** Searches by the names under which their results come. */
type Templates = Readonly<Record<string, string>>

const PATIENT = '{{context.patientId}}'

/** A template cannot say "the last 12 months", so the newest come first and are filtered here. */
export function prefetchTemplates({ fields, scales }: Wanted, mapping: Mapping): Templates {
  const derived = Object.keys(mapping.fields).filter((name) =>
    scales.some(({ id }) => name.startsWith(`${id}_`)),
  )
  const resources = new Set([...fields, ...derived].map((name) => mapping.fields[name]?.resource))
  const own = (code: string): MappedCoding => ({ system: FIELD_SYSTEM, code })
  const codes = [
    ...fields.flatMap((name) => {
      const entry = mapping.fields[name]
      const isHeld = entry?.take === 'days' || (entry?.take === 'count' && entry.class !== 'primaryCare')
      // Every record system holds Patients and stays. Other fields may be sent under their own name instead.
      const asked = isHeld || entry?.resource === 'Patient' ? [] : [own(name)]
      return entry?.take === 'latest' ? [...entry.codes, ...asked] : asked
    }),
    ...scales.flatMap(({ id, items }) => {
      const { total = [], panel = [], items: coded = {} } = mapping.scales[id] ?? {}
      const ownItems = Object.keys(items).map((item) => own(`${id}_${item}`))
      return [...total, ...panel, ...Object.values(coded).flat(), own(`${id}_total`), ...ownItems]
    }),
  ]
  const search = (type: string, more: string): string => `${type}?patient=${PATIENT}${more}&_count=200`
  const observations = `&code=${codes.map(keyOf).join(',')}&_sort=-date`
  return {
    patient: `Patient/${PATIENT}`,
    encounters: search('Encounter', '&_sort=-date'),
    ...(codes.length > 0 && { observations: search('Observation', observations) }),
    ...(resources.has('Condition') && { conditions: search('Condition', '') }),
    ...(resources.has('Procedure') && { procedures: search('Procedure', '&_sort=-date') }),
    ...(scales.length > 0 && { responses: search('QuestionnaireResponse', '&status=completed,amended') }),
  }
}

/**
 * The resources of a request; the types that were fetched completely (null means that nothing was found); and whether something
 * that the templates ask for was not fetched.
 */
export function readPrefetch(
  prefetch: Json,
  templates: Templates,
  timeZone?: string,
): { readonly submission: Submission; readonly complete: ReadonlySet<string>; readonly isPartial: boolean } {
  const parameter: Json[] = []
  const complete = new Set<string>()
  let isPartial = false
  for (const [key, template] of Object.entries(templates)) {
    const value = Object.hasOwn(prefetch, key) ? prefetch[key] : undefined
    const type = inside(value, 'resourceType')
    const part = isObject(value) ? partOfResult(value) : undefined
    if (part !== undefined) throw incomplete(key, part)
    // The client sends an OperationOutcome for what it could not fetch.
    const isFetched = value === null || (isObject(value) && typeof type === 'string' && !holdsError(value))
    if (!isFetched) {
      if (key === 'patient' || key === 'encounters') throw incomplete(key, 'is missing')
      isPartial = true
      continue
    }
    const [searched = '', query] = template.split('?')
    if (query !== undefined && (value === null || type === 'Bundle')) complete.add(searched)
    if (isObject(value)) parameter.push({ name: key, resource: value })
  }
  const submission = readSubmission({ resourceType: 'Parameters', parameter }, timeZone)
  return { submission, complete, isPartial }
}

function holdsError(value: Json): boolean {
  if (value['resourceType'] === 'OperationOutcome') return true
  return listOf(value['entry']).some((entry) => {
    const resource = inside(entry, 'resource')
    return isObject(resource) && isFailure(resource)
  })
}

export function incomplete(key: string, what: string): AppError {
  return new AppError('PREFETCH_INCOMPLETE', `The prefetch ${key} ${what}.`)
}
