/** Which Patients of a body may be one person, and whom a resource may concern that names none of them exactly. */
import { type Json, inside, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../remote/elements.ts'
import type { Entry, Resolve } from './entry.ts'
import { addressIn, shortIn } from './references.ts'

/** A link of a Patient to another record: `replaces`, `replaced-by`, `refer` or `seealso`. */
export interface Link {
  readonly type: string
  /** The other record, where it is in the body. */
  readonly other: Entry | undefined
  /** Its type and id; empty where the link does not say so. */
  readonly short: string
}

export interface Persons {
  readonly linksOf: (patient: Entry) => readonly Link[]
  /** Other Patients of the body that a link connects with this one, from either side. */
  readonly connected: (patient: Entry) => readonly Entry[]
  /** Another Patient of the body with the same identifier. */
  readonly twinOf: (patient: Entry) => Entry | undefined
}

export function personsOf(patients: readonly Entry[], resolve: Resolve): Persons {
  const links = new Map(patients.map((patient) => [patient, readLinks(patient, resolve)]))
  const connections = new Map<Entry, Set<Entry>>()
  const connect = (from: Entry, to: Entry): void => {
    const known = connections.get(from) ?? new Set()
    connections.set(from, known.add(to))
  }
  for (const [patient, all] of links) {
    for (const { other } of all) {
      if (other === undefined || other === patient) continue
      connect(patient, other)
      connect(other, patient)
    }
  }
  const first = new Map<string, Entry>()
  const twins = new Map<Entry, Entry>()
  for (const patient of patients) {
    for (const identifier of identifiersOf(patient.resource)) {
      const known = first.get(identifier) ?? patient
      first.set(identifier, known)
      if (known === patient) continue
      twins.set(known, patient)
      twins.set(patient, known)
    }
  }
  return {
    linksOf: (patient) => links.get(patient) ?? [],
    connected: (patient) => [...(connections.get(patient) ?? [])],
    twinOf: (patient) => twins.get(patient),
  }
}

function readLinks(patient: Entry, resolve: Resolve): readonly Link[] {
  return allOf(patient.resource['link']).map((link) => {
    const reference = inside(link, 'other', 'reference')
    const address = addressIn(reference)
    const found = resolve(reference, patient)
    const other = found?.type === 'Patient' ? found : undefined
    const short = other?.short ?? (address === undefined ? '' : shortIn(address))
    return { type: textOf(inside(link, 'type')) ?? '', other, short }
  })
}

/** The business identifiers of a resource: system and value. */
export function identifiersOf({ identifier }: Json): readonly string[] {
  return allOf(identifier).flatMap((each) => keyOfIdentifier(each) ?? [])
}

function keyOfIdentifier(identifier: unknown): string | undefined {
  const value = textOf(inside(identifier, 'value'))?.trim() ?? ''
  return value === '' ? undefined : `${textOf(inside(identifier, 'system'))?.trim() ?? ''}|${value}`
}

/** The identifier by which an entry names its subject: in the reference, in a search, or in a contained Patient. */
export function subjectIdentifiers({ resource }: Entry): readonly string[] {
  const subject = resource['subject']
  const reference = textOf(inside(subject, 'reference')) ?? ''
  const [, searched] = /^(?:.*\/)?Patient\?identifier=([^&|]+\|[^&|]+)$/.exec(reference) ?? []
  if (searched !== undefined) return [decoded(searched)]
  const contained = allOf(resource['contained']).find(
    (each) => `#${String(inside(each, 'id'))}` === reference,
  )
  const byContained = contained === undefined ? [] : identifiersOf(contained as Json)
  const own = reference === '' ? keyOfIdentifier(inside(subject, 'identifier')) : undefined
  return own === undefined ? byContained : [own]
}

/** Whether a Patient may be the one with these identifiers: it has one of them, or none of their systems. */
export function mayHave({ resource }: Entry, identifiers: readonly string[]): boolean {
  const own = identifiersOf(resource)
  if (identifiers.some((each) => own.includes(each))) return true
  const systems = new Set(own.map(systemOf))
  return !identifiers.some((each) => systems.has(systemOf(each)))
}

function systemOf(identifier: string): string {
  return identifier.slice(0, identifier.lastIndexOf('|'))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
