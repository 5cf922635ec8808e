/** Identities: which entries are the same resource, which one a reference means, and whose they are. */
import { isDeepStrictEqual } from 'node:util'
import { type Json, inside, textOf } from 'patient-risk-engine/read'

export interface Entry {
  readonly resource: Json
  readonly type: string
  /** Where the resource is, as a FHIRPath of the body. */
  readonly path: string
  /** The address of the server that it comes from, with a slash at its end; undefined where its fullUrl names none. */
  readonly server: string | undefined
  /** How answers refer to it: by its fullUrl, which names its server, or by type and id. */
  readonly reference: string
}

/** A patient and the resources that name it as their subject. */
export interface Subject {
  readonly patient: Entry
  readonly entries: readonly Entry[]
  /** Resources by their type that may belong to the patient and are not used, because their subject is not clear. */
  readonly leftOut: ReadonlyMap<string, readonly Entry[]>
  /** A resource of the patient that occurs twice with different content. */
  readonly conflict: Entry | undefined
}

export interface Identities {
  readonly subjects: readonly Subject[]
  /** Resources whose subject is not a Patient of the body. They are not used. */
  readonly unassigned: readonly Entry[]
  /** The resource that a reference means, seen from the entry that holds it. */
  readonly resolve: (reference: unknown, from?: Entry) => Entry | undefined
  readonly linked: (entry: Entry, element: string) => Entry | undefined
}

export function assign(all: readonly Entry[]): Identities {
  const fromServers = onlyOnes(all.filter(({ server }) => server !== undefined))
  const byReference = new Map<string, Entry>()
  const conflicts = new Set<Entry>()
  const entries: Entry[] = []
  for (const each of all) {
    // Without a fullUrl it is the resource of that id from the only server that sends one.
    const twin = fromServers.get(each.reference)
    const entry = twin === undefined ? each : { ...each, server: twin.server, reference: twin.reference }
    const known = entry.reference === '' ? undefined : byReference.get(entry.reference)
    if (known === undefined) {
      entries.push(entry)
      byReference.set(entry.reference, entry)
      // The same resource may come in two search results; two versions of it cannot both be right.
    } else if (!isDeepStrictEqual(known.resource, entry.resource)) conflicts.add(known)
  }
  let [byId, withoutServer]: (ReadonlyMap<string, Entry> | undefined)[] = []
  const resolve: Identities['resolve'] = (given, from) => {
    const reference = textOf(given)?.split('/_history/')[0]
    if (reference === undefined || reference === '') return undefined
    const base = from?.server
    const isAbsolute = reference.includes(':')
    const exact = byReference.get(isAbsolute || base === undefined ? reference : base + reference)
    if (exact !== undefined) return exact
    // Only an entry without a server of its own, or a reference without one, may be matched by type and id.
    const near =
      base === undefined && !isAbsolute
        ? (byId ??= onlyOnes(entries))
        : (withoutServer ??= onlyOnes(entries.filter(({ server }) => server === undefined)))
    return near.get(reference.split('/').slice(-2).join('/'))
  }
  const linked: Identities['linked'] = (entry, element) =>
    resolve(inside(entry.resource, element, 'reference'), entry)
  const isPatient = (entry: Entry | undefined): boolean => entry?.type === 'Patient'
  const bySubject = Map.groupBy(
    entries.filter((entry) => !isPatient(entry)),
    (entry) => {
      const subject = linked(entry, 'subject')
      return isPatient(subject) ? subject : undefined
    },
  )
  const unassigned = bySubject.get(undefined) ?? []
  const leftOutFor = leftOutBy(unassigned)
  const subjects = entries.filter(isPatient).map((patient) => {
    const own = bySubject.get(patient) ?? []
    const conflict = [patient, ...own].find((entry) => conflicts.has(entry))
    return { patient, entries: own, conflict, leftOut: leftOutFor(patient) }
  })
  return { subjects, unassigned, resolve, linked }
}

/** For a Patient the resources that may be its own. Most Patients share one list, which may be long. */
function leftOutBy(unassigned: readonly Entry[]): (patient: Entry) => Subject['leftOut'] {
  const byName = Map.groupBy(unassigned, nameOfSubject)
  const ofAnybody = byName.get(ANYBODY) ?? []
  const shared = Map.groupBy(ofAnybody, ({ type }) => type)
  return ({ resource, reference }) => {
    const own = shortOf('Patient', resource)
    const mayBe = (name: string): boolean =>
      // A Patient without an id may be the one that any of them names, and one without a urn may have one elsewhere.
      name === own || (name === URN ? !reference.startsWith(URN) : own === '' && name.startsWith('Patient/'))
    const others = [...byName.keys()].filter(mayBe).flatMap((name) => byName.get(name) ?? [])
    return others.length === 0 ? shared : Map.groupBy([...ofAnybody, ...others], ({ type }) => type)
  }
}

const ANYBODY = 'anybody'
const SOMEBODY_ELSE = 'somebody else'
const URN = 'urn:'

/**
 * Whom the subject of an entry names, where that is no Patient of the body. It may be anybody without a reference, and where the
 * reference is a contained resource, the result of a search or a Group.
 */
function nameOfSubject({ resource, server }: Entry): string {
  const reference = textOf(inside(resource, 'subject', 'reference'))?.split('/_history/')[0] ?? ''
  if (reference.startsWith(URN)) return URN
  const [, base, type = '', id = ''] = /^([^#?]*\/)?([A-Z]\w+)\/([^/#?]+)$/.exec(reference) ?? []
  if (!['Patient', 'Device', 'Location'].includes(type)) return ANYBODY
  // A server makes the name exact, so it would have been found.
  return type === 'Patient' && base === undefined && server === undefined ? `Patient/${id}` : SOMEBODY_ELSE
}

/** Entries by type and id, without those that several different ones have. */
function onlyOnes(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>()
  const several = new Set<string>()
  for (const entry of entries) {
    const name = shortOf(entry.type, entry.resource)
    if (name === '') continue
    if ((found.get(name)?.reference ?? entry.reference) !== entry.reference) several.add(name)
    found.set(name, entry)
  }
  for (const name of several) found.delete(name)
  return found
}

export function shortOf(type: string, { id }: Json): string {
  return typeof id === 'string' && id !== '' ? `${type}/${id}` : ''
}
