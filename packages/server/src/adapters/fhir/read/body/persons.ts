/** Which Patients of a body may be one person, and whom a resource may concern that names none of them exactly. */
import { type Json, inside, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../../remote/elements.ts'
import { type Entry, type Resolve, entryFor } from './entry.ts'
import { addressIn, shortIn } from './references.ts'
import { identifiersOf, keyOfIdentifier, systemOf } from './identifiers.ts'
import { twinsIn } from './twins.ts'

/** A link of a Patient to another record: `replaces`, `replaced-by`, `refer` or `seealso`. */
export interface Link {
  readonly type: string
  /** The other record, where it is in the body. */
  readonly other: Entry | undefined
  /** Its type and id; empty where the link does not say so. */
  readonly short: string
  /** The business identifier by which the link names it, in place of or beside its id. */
  readonly identifiers: readonly string[]
}

export interface Connection {
  /** The records, as elements of the type Reference. */
  readonly records: readonly unknown[]
  /** The entry as references in it are seen. */
  readonly from: Entry
}

/** What a Person or a Linkage connects. One that is out of use still says that there is, or was, more than one record. */
export function connectionIn(resource: Json, type: string, fullUrl: string | undefined): Connection {
  const records =
    type === 'Person'
      ? allOf(resource['link']).flatMap((link) => [inside(link, 'target')].flat())
      : allOf(resource['item']).map((item) => inside(item, 'resource'))
  return { records, from: entryFor(resource, type, '', fullUrl) }
}

export interface Persons {
  readonly linksOf: (patient: Entry) => readonly Link[]
  /** Whether a resource connects the Patient with a record that is not in the body. */
  readonly isConnectedElsewhere: (patient: Entry) => boolean
  /** Other Patients of the body that a link connects with this one, from either side. */
  readonly connected: (patient: Entry) => readonly Entry[]
  /** Another Patient of the body with the same identifier. */
  readonly twinOf: (patient: Entry) => Entry | undefined
}

export function personsOf(
  patients: readonly Entry[],
  resolve: Resolve,
  connections: readonly Connection[],
): Persons {
  const twins = twinsIn(patients)
  const first = new Map<string, Entry>()
  for (const patient of patients)
    for (const identifier of identifiersOf(patient.resource))
      if (!first.has(identifier)) first.set(identifier, patient)
  /** The record that an element means, by its reference or by its identifier. */
  const find = (element: unknown, from: Entry): Entry | undefined =>
    resolve(inside(element, 'reference'), from) ??
    first.get(keyOfIdentifier(inside(element, 'identifier')) ?? '')
  const links = new Map(patients.map((patient) => [patient, readLinks(patient, find)]))
  const connected = new Map<Entry, Set<Entry>>()
  const connect = (from: Entry, to: Entry): void => {
    const known = connected.get(from) ?? new Set()
    connected.set(from, known.add(to))
  }
  const elsewhere = new Set<Entry>()
  for (const { records, from } of connections) {
    const found = records.map((record) => find(record, from))
    const here = found.filter((record) => record?.type === 'Patient') as readonly Entry[]
    const isMore = records.some(
      (record, at) => found[at] === undefined && isPatientName(inside(record, 'reference')),
    )
    for (const [at, record] of here.entries()) {
      if (isMore) elsewhere.add(record)
      const next = here[at + 1]
      if (next === undefined || next === record) continue
      connect(record, next)
      connect(next, record)
    }
  }
  for (const [patient, all] of links) {
    for (const { other } of all) {
      if (other === undefined || other === patient) continue
      connect(patient, other)
      connect(other, patient)
    }
  }
  return {
    linksOf: (patient) => links.get(patient) ?? [],
    isConnectedElsewhere: (patient) => elsewhere.has(patient),
    connected: (patient) => withConnected(patient, connected),
    twinOf: (patient) => twins.get(patient),
  }
}

/** All that are connected with a Patient, one after the other. */
function withConnected(patient: Entry, connected: ReadonlyMap<Entry, ReadonlySet<Entry>>): readonly Entry[] {
  const found = new Set([patient])
  for (const each of found) for (const other of connected.get(each) ?? []) found.add(other)
  found.delete(patient)
  return [...found]
}

/** Whether a reference may name a Patient: anything but a resource that is certainly of another type. */
function isPatientName(reference: unknown): boolean {
  return [undefined, 'Patient'].includes(addressIn(reference)?.type)
}

function readLinks(
  patient: Entry,
  find: (element: unknown, from: Entry) => Entry | undefined,
): readonly Link[] {
  return allOf(patient.resource['link']).flatMap((link) => {
    const named = inside(link, 'other')
    const address = addressIn(inside(named, 'reference'))
    // The same person as a relative of somebody else: nothing of the patient is kept there.
    if (address?.type === 'RelatedPerson') return []
    const found = find(named, patient)
    const other = found?.type === 'Patient' ? found : undefined
    const short = other?.short ?? (address === undefined ? '' : shortIn(address))
    const identifier = keyOfIdentifier(inside(named, 'identifier'))
    const identifiers = identifier === undefined ? [] : [identifier]
    return { type: textOf(inside(link, 'type')) ?? '', other, short, identifiers }
  })
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
  const own = keyOfIdentifier(inside(subject, 'identifier'))
  return own === undefined ? byContained : [own]
}

/** Whether a Patient has one of these identifiers. */
export function hasOneOf({ resource }: Entry, identifiers: readonly string[]): boolean {
  const own = identifiersOf(resource)
  return identifiers.some((each) => own.includes(each))
}

/** Whether a Patient may be the one with these identifiers: it has one of them, or none of their systems. */
export function mayHave({ resource }: Entry, identifiers: readonly string[]): boolean {
  const own = identifiersOf(resource)
  if (own.some((each) => identifiers.includes(each))) return true
  const systems = new Set(own.map(systemOf))
  return !identifiers.some((each) => systems.has(systemOf(each)))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
