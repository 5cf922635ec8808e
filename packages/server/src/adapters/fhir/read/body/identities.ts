/** Identities: which entries are the same resource, which one a reference means, and whose they are. */
import { isDeepStrictEqual } from 'node:util'
import { AppError } from '@patient-risk/runtime'
import { inside } from 'patient-risk-engine/read'
import { focusOf, isKeptElsewhere, isMerged, whomItConcerns } from '../rules.ts'
import { ANYBODY, concernOf } from './concern.ts'
import { type Other, othersNamingUnsent } from './encounter-references.ts'
import { type Entry, type Linked, type Resolve, linker } from './entry.ts'
import { type Connection, type Link, mayHave, personsOf, subjectIdentifiers } from './persons.ts'
import { addressIn, shortIn, urnIn } from './references.ts'
import type { Subject } from './subject.ts'

export interface Identities {
  readonly subjects: readonly Subject[]
  /** Resources whose subject is not a Patient of the body. They are not used. */
  readonly unassigned: readonly Entry[]
  readonly unreadable: readonly Entry[]
  /** The resource that a reference means, seen from the entry that holds it. */
  readonly resolve: Resolve
  readonly linked: Linked
}

export function assign(
  all: readonly Entry[],
  connections: readonly Connection[],
  others: readonly Other[] = [],
): Identities {
  const fromServers = onlyOnes(all.filter(({ server }) => server !== undefined))
  const byKey = new Map<string, Entry>()
  const conflicts = new Set<Entry>()
  const entries: Entry[] = []
  for (const each of all) {
    // Without a fullUrl it is the resource of that id from the only server that sends one.
    const twin = fromServers.get(each.key)
    const { server, key, reference } = twin ?? each
    const entry = twin === undefined ? each : { ...each, server, key, reference }
    const known = entry.key === '' ? undefined : byKey.get(entry.key)
    if (known === undefined) {
      entries.push(entry)
      byKey.set(entry.key, entry)
      // The same resource may come in two search results; two versions of it cannot both be right.
    } else if (!isDeepStrictEqual(known.resource, entry.resource)) conflicts.add(known)
  }
  const resolve = resolver(entries, byKey)
  const linked = linker(resolve)
  const isPatient = (entry: Entry | undefined): boolean => entry?.type === 'Patient'
  const bySubject = Map.groupBy(
    entries.filter((entry) => !isPatient(entry)),
    (entry) => {
      const subject = linked(entry, 'subject')
      return subject?.type === 'Patient' && isAgreed(entry, subject) ? subject : undefined
    },
  )
  const unassigned = bySubject.get(undefined) ?? []
  const judging = new Judging()
  const leftOutFor = leftOutBy(unassigned, linked, judging)
  const namingOf = namingBy(() => othersNamingUnsent(others, resolve), linked, judging)
  const patients = entries.filter(isPatient)
  const persons = personsOf(patients, resolve, connections)
  const unreadable: Entry[] = entries.filter((entry) => entry.unreadable !== undefined)
  const subjects = patients.map((patient) => {
    const named = bySubject.get(patient) ?? []
    const conflict = [patient, ...named].find((entry) => conflicts.has(entry))
    const byFocus = Map.groupBy(named, (entry) => focusOf(entry, patient, resolve))
    const unclear = (byFocus.get('unclear') ?? []).map((entry) => ({ ...entry, unreadable: OTHER_FOCUS }))
    // One by one: there may be more of them than a call has arguments.
    for (const entry of unclear) unreadable.push(entry)
    const { own = [], unread = [] } = Object.groupBy(byFocus.get('patient') ?? [], (entry) =>
      entry.unreadable === undefined ? 'own' : 'unread',
    )
    const links = persons.linksOf(patient)
    const others = persons.connected(patient)
    for (const other of others) judging.count(1 + (bySubject.get(other)?.length ?? 0))
    const ofOthers = others.flatMap((other) => bySubject.get(other) ?? [])
    const leftOut = withMore(leftOutFor(patient, links), [...unread, ...unclear, ...ofOthers])
    for (const each of leftOut.values()) judging.count(each.length)
    return {
      patient,
      entries: own,
      conflict,
      leftOut,
      naming: () => namingOf(patient, links),
      twin: persons.twinOf(patient),
      isReplaced: isMerged(
        patient,
        links,
        others.flatMap((other) => persons.linksOf(other)),
      ),
      isElsewhere: isKeptElsewhere(links, persons.isConnectedElsewhere(patient)),
    }
  })
  return { subjects, unassigned, unreadable, resolve, linked }
}

/** For a Patient the resources of other types that name an Encounter that was not sent. They are looked for when first asked for. */
function namingBy(
  find: () => readonly Entry[],
  linked: Linked,
  judging: Judging,
): (patient: Entry, links: readonly Link[]) => readonly Entry[] {
  let known:
    | { readonly own: ReadonlyMap<unknown, readonly Entry[]>; readonly of: ReturnType<typeof leftOutBy> }
    | undefined
  return (patient, links) => {
    if (known === undefined) {
      const own = Map.groupBy(find(), (entry) => {
        const subject = linked(entry, 'subject')
        return subject?.type === 'Patient' ? subject : undefined
      })
      known = { own, of: leftOutBy(own.get(undefined) ?? [], linked, judging) }
    }
    return [...(known.own.get(patient) ?? []), ...[...known.of(patient, links).values()].flat()]
  }
}

/** Each patient is judged with each resource that may be its own. In a body for one patient that is little, whatever it holds. */
const MOST_JUDGED = 200_000

/** Counts what is judged, before it is done. */
class Judging {
  private judged = 0

  count(more: number): void {
    this.judged += more
    if (this.judged > MOST_JUDGED)
      throw new AppError(
        'TOO_MANY_RECORDS',
        'Too many resources of the body may belong to too many of its patients. Name the patient of each resource, or send each patient in a Bundle of its own.',
      )
  }
}

/** Whether a subject is named by a reference only, or by an identifier that the Patient may have. */
function isAgreed(entry: Entry, patient: Entry): boolean {
  const identifiers = subjectIdentifiers(entry)
  return identifiers.length === 0 || mayHave(patient, identifiers)
}

const OTHER_FOCUS = 'It is about something else than its subject (focus), which this service does not know.'

function withMore(leftOut: Subject['leftOut'], more: readonly Entry[]): Subject['leftOut'] {
  if (more.length === 0) return leftOut
  return Map.groupBy([...leftOut.values()].flat().concat(more), ({ type }) => type)
}

/** What a reference means: the resource at that address, or the only one of that type and id where an address is not known. */
function resolver(entries: readonly Entry[], byKey: ReadonlyMap<string, Entry>): Resolve {
  let byId: ReadonlyMap<string, Entry> | undefined
  let withoutServer: ReadonlyMap<string, Entry> | undefined
  let severalServers: ReadonlySet<string> | undefined
  return (given, from) => {
    const address = addressIn(given)
    const urn = urnIn(given)
    if (urn !== undefined) return byKey.get(urn)
    if (address === undefined) return undefined
    const short = shortIn(address)
    const server = address.server ?? from?.server
    const exact = byKey.get((server ?? '') + short)
    if (exact !== undefined) return exact
    if (server === undefined) return (byId ??= onlyOnes(entries)).get(short)
    // An entry without a server may be of any server, but not of two.
    withoutServer ??= onlyOnes(entries.filter((entry) => entry.server === undefined))
    severalServers ??= namedOnSeveral(entries)
    return severalServers.has(short) ? undefined : withoutServer.get(short)
  }
}

/** The subjects that are named by the same type and id on more than one server. */
function namedOnSeveral(entries: readonly Entry[]): ReadonlySet<string> {
  const servers = new Map<string, string>()
  const several = new Set<string>()
  for (const { resource, server: own } of entries) {
    const address = addressIn(inside(resource, 'subject', 'reference'))
    const server = address?.server ?? own
    if (address === undefined || server === undefined) continue
    const short = shortIn(address)
    if ((servers.get(short) ?? server) !== server) several.add(short)
    servers.set(short, server)
  }
  return several
}

/** For a Patient the resources that may be its own. Most Patients share one list, which may be long. */
function leftOutBy(
  unassigned: readonly Entry[],
  linked: Linked,
  judging: Judging,
): (patient: Entry, links: readonly Link[]) => Subject['leftOut'] {
  const byName = Map.groupBy(unassigned, (entry) => whomItConcerns(entry, linked))
  const ofAnybody = byName.get(ANYBODY) ?? []
  const shared = Map.groupBy(ofAnybody, ({ type }) => type)
  return (patient, links) => {
    judging.count(byName.size)
    const mayBe = concernOf(patient, links)
    const others = [...byName.keys()]
      .filter((name) => name !== '' && mayBe(name))
      .flatMap((name) => byName.get(name) ?? [])
    return others.length === 0 ? shared : Map.groupBy([...ofAnybody, ...others], ({ type }) => type)
  }
}

/** Entries by type and id, without those that several different ones have. */
function onlyOnes(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>()
  const several = new Set<string>()
  for (const entry of entries) {
    const { short, key } = entry
    if (short === '') continue
    if ((found.get(short)?.key ?? key) !== key) several.add(short)
    found.set(short, entry)
  }
  for (const short of several) found.delete(short)
  return found
}
