/** A body as a set of resources with their identities: the patients, and what belongs to each. */
import { decodeText, parseText, scanStructure } from '../../engine/read/body.ts'
import { countKeys } from '../../engine/read/repeated-keys.ts'
import { AppError } from '../../errors.ts'
import { type Json, isObject, listOf, textOf } from './json.ts'

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
  const keys = typeof value === 'object' && value !== null ? countKeys(value) : 0
  if (keys !== colons) throw new AppError('BODY_MALFORMED', 'The body has an object with the same key twice.')
  return value
}

export function readSubmission(body: unknown): Submission {
  const entries: Entry[] = []
  if (!isObject(body)) throw notFhir('The body must be a Bundle or Parameters resource of FHIR R4.')
  const parameters: Json[] = []
  if (body['resourceType'] === 'Bundle') addBundle(body, 'Bundle', entries)
  else if (body['resourceType'] === 'Parameters') {
    listOf(body['parameter']).forEach((each, at) => {
      if (!isObject(each)) return
      parameters.push(each)
      const { resource } = each
      const path = `Parameters.parameter[${at}].resource`
      if (!isObject(resource)) return
      if (resource['resourceType'] === 'Bundle') addBundle(resource, path, entries)
      else addEntry(resource, path, undefined, entries)
    })
  } else throw notFhir('The body must be a Bundle or Parameters resource of FHIR R4.')
  return assign(entries, readParameters(parameters))
}

function addBundle(bundle: Json, path: string, entries: Entry[]): void {
  if (hasNextPage(bundle)) throw new AppError('BUNDLE_INCOMPLETE')
  listOf(bundle['entry']).forEach((entry, at) => {
    if (!isObject(entry) || !isObject(entry['resource'])) return
    const { request } = entry
    if (isObject(request) && request['method'] === 'DELETE') return
    addEntry(entry['resource'], `${path}.entry[${at}].resource`, textOf(entry['fullUrl']), entries)
  })
}

/** Whether a Bundle is one page of several: counts from it would be too low. */
export function hasNextPage(bundle: Json): boolean {
  return listOf(bundle['link']).some((link) => isObject(link) && link['relation'] === 'next')
}

function addEntry(resource: Json, path: string, fullUrl: string | undefined, entries: Entry[]): void {
  const type = textOf(resource['resourceType'])
  if (type === undefined || !USED.has(type)) return
  if (type === 'Encounter' && isR5(resource)) throw new AppError('FHIR_VERSION')
  const short = `${type}/${textOf(resource['id']) ?? ''}`
  const isOnServer = fullUrl?.startsWith('http') === true && fullUrl.endsWith(`/${short}`)
  const server = isOnServer ? fullUrl.slice(0, -short.length) : undefined
  entries.push({ resource, type, path, server, reference: fullUrl ?? (short.endsWith('/') ? '' : short) })
}

function isR5(encounter: Json): boolean {
  const isNew = ['actualPeriod', 'admission', 'plannedStartDate'].some((name) =>
    Object.hasOwn(encounter, name),
  )
  return isNew || Array.isArray(encounter['class']) || R5_STATUSES.has(textOf(encounter['status']) ?? '')
}

function readParameters(parameters: readonly Json[]): Parameters {
  const named = (name: string): readonly string[] =>
    parameters.flatMap((each) => {
      if (each['name'] !== name) return []
      const { valueReference: reference } = each
      const value = isObject(reference)
        ? reference['reference']
        : Object.entries(each).find(([key]) => key.startsWith('value'))?.[1]
      return typeof value === 'string' ? [value] : []
    })
  return { history: named('history')[0], asOf: named('asOf')[0], encounters: named('encounter') }
}

function assign(all: readonly Entry[], parameters: Parameters): Submission {
  const byReference = new Map<string, Entry>()
  const byTypeAndId = new Map<string, Entry[]>()
  const conflicts = new Set<Entry>()
  const entries = all.filter((entry) => {
    const known = byReference.get(entry.reference)
    if (known !== undefined && entry.reference !== '') {
      // The same resource may come in two search results; two versions of it cannot both be right.
      if (JSON.stringify(known.resource) !== JSON.stringify(entry.resource)) conflicts.add(known)
      return false
    }
    byReference.set(entry.reference, entry)
    const short = `${entry.type}/${textOf(entry.resource['id']) ?? ''}`
    const near = byTypeAndId.get(short)
    if (near === undefined) byTypeAndId.set(short, [entry])
    else near.push(entry)
    return true
  })
  const resolve: Submission['resolve'] = (given, from) => {
    const reference = textOf(given)?.split('/_history/')[0]
    if (reference === undefined || reference === '') return undefined
    const base = from?.server
    const exact = byReference.get(
      reference.includes(':') || base === undefined ? reference : base + reference,
    )
    if (exact !== undefined) return exact
    // Only an entry without a server of its own, or a reference without one, may be matched by type and id.
    const near = byTypeAndId.get(reference.split('/').slice(-2).join('/')) ?? []
    const fitting = near.filter(
      ({ server }) => server === undefined || (base === undefined && !reference.includes(':')),
    )
    return fitting.length === 1 ? fitting[0] : undefined
  }
  const owned = new Map<Entry, Entry[]>()
  for (const entry of entries) if (entry.type === 'Patient') owned.set(entry, [])
  const unassigned: Entry[] = []
  for (const entry of entries) {
    if (entry.type === 'Patient') continue
    const { subject } = entry.resource
    const patient = isObject(subject) ? resolve(subject['reference'], entry) : undefined
    const list = patient === undefined ? undefined : owned.get(patient)
    if (list === undefined) unassigned.push(entry)
    else list.push(entry)
  }
  const subjects = [...owned].map(([patient, own]) => ({
    patient,
    entries: own,
    conflict: [patient, ...own].find((entry) => conflicts.has(entry)),
  }))
  return { subjects, unassigned, parameters, resolve }
}

function notFhir(detail: string): AppError {
  return new AppError('BODY_NOT_FHIR', detail)
}
