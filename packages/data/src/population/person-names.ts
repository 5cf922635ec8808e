/** Whom a resource is about: the Patient that it names, and everything that may name the same person elsewhere. */
import { type Json, inside, isObject, listOf, textOf } from 'patient-risk-engine/read'

const PATIENT = /(?:^|\/)Patient\/+([A-Za-z0-9\-.]{1,64})\/*(?:_history\/[^/]*)?$/
const NOT_A_PATIENT = /(?:^|\/)(?:Device|Location)\/+[A-Za-z0-9\-.]{1,64}\/*$/

/** The id of the patient that a resource names; an empty text where it may be anybody, undefined where it is no patient. */
export function subjectOf(resource: Json): string | undefined {
  const reference = (textOf(inside(resource, 'subject', 'reference')) ?? '').trim()
  const id = PATIENT.exec(reference)?.[1]
  if (id !== undefined) return id
  return NOT_A_PATIENT.test(reference) ? undefined : ''
}

/** One resource stands for all of its type whose patient is not known, so nothing in it may point at a single patient. */
export function withoutPerson(resource: Json): Json {
  return { ...resource, subject: undefined, encounter: undefined, partOf: undefined }
}

/** What may name the same person elsewhere: the identifiers of a Patient, and the Patients that it is linked with. */
export function namesOf(patient: Json): readonly string[] {
  const identifiers = identifiersOf(patient)
  const own = textOf(patient['id']) ?? ''
  const linked = listOf(patient['link']).flatMap((link) => {
    const other = inside(link, 'other')
    const id = PATIENT.exec(textOf(inside(other, 'reference')) ?? '')?.[1]
    const named = id === undefined ? [] : [`of ${id.toLowerCase()}`]
    return [...named, ...identifiersOf(other)]
  })
  return [...identifiers, ...linked, `of ${own.toLowerCase()}`]
}

/** The business identifiers of a Patient, or the one of a reference to one. */
export function identifiersOf(named: unknown): readonly string[] {
  const given = inside(named, 'identifier')
  return (isObject(given) ? [given] : listOf(given)).flatMap((identifier) => {
    const value = textOf(inside(identifier, 'value'))?.trim() ?? ''
    return value === '' ? [] : [`${textOf(inside(identifier, 'system'))?.trim() ?? ''}|${value}`]
  })
}

/** The Patients that a Person or a Linkage connects, by their ids and by their numbers. */
export function recordsOf(resource: Json): {
  readonly persons: readonly string[]
  readonly numbers: readonly string[]
} {
  const records = [
    ...listOf(resource['link']).map((link) => inside(link, 'target')),
    ...listOf(resource['item']).map((item) => inside(item, 'resource')),
  ]
  const idIn = (record: unknown): string | undefined =>
    PATIENT.exec(textOf(inside(record, 'reference')) ?? '')?.[1]?.toLowerCase()
  return {
    persons: records.flatMap((record) => idIn(record) ?? []),
    numbers: records.flatMap((record) => identifiersOf(record)),
  }
}
