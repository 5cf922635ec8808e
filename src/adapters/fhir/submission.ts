/** A body as a set of resources with their identities: the patients, and what belongs to each. */
import { decodeText, parseText, scanStructure } from '../../engine/read/body.ts'
import { countKeys } from '../../engine/read/repeated-keys.ts'
import { AppError } from '../../errors.ts'
import { type Json, inside, isObject, listOf, textOf } from './json.ts'

export interface Entry {
  readonly resource: Json
  readonly type: string
  /** Where the resource stands, as a FHIRPath of the body. */
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
  /** Where the same resource stands twice with different content. */
  readonly conflict: Entry | undefined
}

export interface Parameters {
  readonly history: string | undefined
  readonly asOf: string | undefined
  readonly encounters: readonly string[]
}

export interface Submission {
  readonly subjects: readonly Subject[]
  /** Resources whose subject is no Patient of the body. They are not used. */
  readonly unassigned: readonly Entry[]
  readonly parameters: Parameters
  /** The resource that a reference means, seen from the entry that holds it. */
  readonly resolve: (reference: unknown, from?: Entry) => Entry | undefined
  /** The resource that an element of an entry refers to. */
  readonly linked: (entry: Entry, element: string) => Entry | undefined
}

export const MAX_DEPTH = 32
const USED = new Set([
  'Patient',
  'Encounter',
  'Observation',
  'Condition',
  'Procedure',
  'QuestionnaireResponse',
])
const R5_STATUSES = new Set(['completed', 'on-hold', 'discharged', 'discontinued'])

/** Reads a body of JSON. A key that stands twice in one object is refused: readers disagree on which of them counts. */
export function parseBody(body: Uint8Array): unknown {
  const { depth, colons } = scanStructure(body)
  if (depth > MAX_DEPTH)
    throw new AppError('BODY_TOO_DEEP', `The body is nested deeper than ${MAX_DEPTH} levels.`)
  const value = parseText(decodeText(body))
  const keys = countKeys(value)
  if (keys !== colons) throw new AppError('BODY_MALFORMED', 'The body has an object with the same key twice.')
  return value
}

export function readSubmission(body: unknown): Submission {
  const entries: Entry[] = []
  const type = inside(body, 'resourceType')
  if (!isObject(body) || (type !== 'Bundle' && type !== 'Parameters'))
    throw new AppError('BODY_NOT_FHIR', 'The body must be a Bundle or Parameters resource of FHIR R4.')
  if (type === 'Bundle') addBundle(body, 'Bundle', entries)
  const parameters = type === 'Bundle' ? [] : listOf(body['parameter'])
  parameters.forEach((each, at) => {
    const resource = inside(each, 'resource')
    const path = `Parameters.parameter[${at}].resource`
    if (!isObject(resource)) return
    if (resource['resourceType'] === 'Bundle') addBundle(resource, path, entries)
    else addEntry(resource, path, undefined, entries)
  })
  const encounters = entries.filter((entry) => entry.type === 'Encounter')
  // A single Encounter in the form of R5 is a mistake of its patient.
  if (encounters.length > 0 && encounters.every(({ resource }) => isR5(resource)))
    throw new AppError('FHIR_VERSION')
  return assign(entries, readParameters(parameters.filter(isObject)))
}

function addBundle(bundle: Json, path: string, entries: Entry[]): void {
  if (hasNextPage(bundle)) throw new AppError('BUNDLE_INCOMPLETE')
  listOf(bundle['entry']).forEach((entry, at) => {
    const resource = inside(entry, 'resource')
    if (!isObject(resource) || inside(entry, 'request', 'method') === 'DELETE') return
    addEntry(resource, `${path}.entry[${at}].resource`, textOf(inside(entry, 'fullUrl')), entries)
  })
}

/** Whether a Bundle is one page of several: counts from it would be too low. */
export function hasNextPage(bundle: Json): boolean {
  return listOf(bundle['link']).some((link) => inside(link, 'relation') === 'next')
}

function addEntry(resource: Json, path: string, fullUrl: string | undefined, entries: Entry[]): void {
  const type = textOf(resource['resourceType'])
  if (type === undefined || !USED.has(type)) return
  const short = `${type}/${textOf(resource['id']) ?? ''}`
  const isOnServer = fullUrl?.startsWith('http') === true && fullUrl.endsWith(`/${short}`)
  const server = isOnServer ? fullUrl.slice(0, -short.length) : undefined
  entries.push({ resource, type, path, server, reference: fullUrl ?? (short.endsWith('/') ? '' : short) })
}

export function isR5(encounter: Json): boolean {
  const isNew = ['actualPeriod', 'admission', 'plannedStartDate'].some((name) =>
    Object.hasOwn(encounter, name),
  )
  return isNew || Array.isArray(encounter['class']) || R5_STATUSES.has(textOf(encounter['status']) ?? '')
}

function readParameters(parameters: readonly Json[]): Parameters {
  const named = (name: string): readonly string[] =>
    parameters.flatMap((each) => {
      if (each['name'] !== name) return []
      const [, value] = Object.entries(each).find(([key]) => key.startsWith('value')) ?? []
      return textOf(isObject(value) ? value['reference'] : value) ?? []
    })
  return { history: named('history')[0], asOf: named('asOf')[0], encounters: named('encounter') }
}

function assign(all: readonly Entry[], parameters: Parameters): Submission {
  const byReference = new Map<string, Entry>()
  const conflicts = new Set<Entry>()
  const entries = all.filter((entry) => {
    const known = byReference.get(entry.reference)
    if (known === undefined || entry.reference === '') return byReference.set(entry.reference, entry)
    // The same resource may come in two search results; two versions of it cannot both be right.
    if (JSON.stringify(known.resource) !== JSON.stringify(entry.resource)) conflicts.add(known)
    return false
  })
  const byTypeAndId = Map.groupBy(entries, ({ type, resource }) => `${type}/${textOf(resource['id']) ?? ''}`)
  const resolve: Submission['resolve'] = (given, from) => {
    const reference = textOf(given)?.split('/_history/')[0]
    if (reference === undefined || reference === '') return undefined
    const base = from?.server
    const isAbsolute = reference.includes(':')
    const exact = byReference.get(isAbsolute || base === undefined ? reference : base + reference)
    if (exact !== undefined) return exact
    // Only an entry without a server of its own, or a reference without one, may be matched by type and id.
    const near = byTypeAndId.get(reference.split('/').slice(-2).join('/')) ?? []
    const fitting = near.filter(({ server }) => server === undefined || (base === undefined && !isAbsolute))
    return fitting.length === 1 ? fitting[0] : undefined
  }
  const linked: Submission['linked'] = (entry, element) =>
    resolve(inside(entry.resource, element, 'reference'), entry)
  const isPatient = (entry: Entry | undefined): boolean => entry?.type === 'Patient'
  const bySubject = Map.groupBy(
    entries.filter((entry) => !isPatient(entry)),
    (entry) => {
      const subject = linked(entry, 'subject')
      return isPatient(subject) ? subject : undefined
    },
  )
  const subjects = entries.filter(isPatient).map((patient) => {
    const own = bySubject.get(patient) ?? []
    return { patient, entries: own, conflict: [patient, ...own].find((entry) => conflicts.has(entry)) }
  })
  return { subjects, unassigned: bySubject.get(undefined) ?? [], parameters, resolve, linked }
}
