/** A body as a set of resources with their identities: the patients, and what belongs to each. */
import { AppError } from '@patient-risk/runtime'
import { type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../../remote/elements.ts'
import { isId, partOfResult } from '../../../../remote/search-pages.ts'
import type { Issue } from '../../outcome.ts'
import { momentReader } from '../moment.ts'
import { faultOfEntry, faultOfResource, isDeletion, whyNotABundle, whyUnreadable } from '../rules.ts'
import type { Other } from './encounter-references.ts'
import { type Entry, entryFor } from './entry.ts'
import { type Identities, assign } from './identities.ts'
import { narrowedBy } from './narrowed-results.ts'
import { type Connection, connectionIn } from './persons.ts'
import { isR5 } from './r5.ts'
import { addressIn, shortIn } from './references.ts'
import { CONNECTING, USED } from './types.ts'

/** The parameters of a call by their names, as a query or the body gives them. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Submission extends Identities {
  /** Types of which a result holds a part only, as its address says: with the day from which on it holds all, and its place. */
  readonly narrowed: ReadonlyMap<string, { readonly from: number; readonly path: string }>
  /** What is wrong with the body itself. After an error some of its content was not read. */
  readonly issues: readonly Issue[]
  readonly parameters: Parameters
  readonly momentOf: ReturnType<typeof momentReader>
}

const MOST_EXPRESSIONS = 20
const PARAMETERS = ['history', 'asOf', 'encounter']

/**
 * `isFetched`: the body is ours, so its resources are named by type and id, and not by places that the caller does not know. `ask` is
 * called for every entry, and throws where nobody waits for the answer any more.
 */
export function readSubmission(
  body: unknown,
  timeZone?: string,
  isFetched = false,
  ask: () => void = () => undefined,
): Submission {
  const type = inside(body, 'resourceType')
  if (!isObject(body) || (type !== 'Bundle' && type !== 'Parameters'))
    throw new AppError('BODY_NOT_FHIR', 'The body must be a Bundle or Parameters resource of FHIR R4.')
  const momentOf = momentReader(timeZone)
  const reader = new Reader(isFetched, ask, momentOf)
  const parameters = type === 'Bundle' ? [] : elementsOf(body, 'parameter', 'Parameters')
  if (type === 'Bundle') reader.addBundle(body, 'Bundle', true)
  else if (body['implicitRules'] !== undefined) throw new AppError('BODY_NOT_FHIR', whyUnreadable(body))
  parameters.forEach((each, at) => reader.addParameter(each, `Parameters.parameter[${at}]`))
  const encounters = reader.entries.filter((entry) => entry.type === 'Encounter')
  // A single Encounter in the form of R5 is a mistake of its patient.
  if (encounters.length > 0 && encounters.every(({ resource }) => isR5(resource)))
    throw new AppError('FHIR_VERSION')
  const assigned = assign(
    reader.entries.map((entry) =>
      reader.deleted.has(entry.short)
        ? { ...entry, unreadable: whyUnreadable(entry.resource, { isDeleted: true }) }
        : entry,
    ),
    reader.connections,
    reader.others,
  )
  if (assigned.subjects.length === 0)
    reader.report('warning', 'not-found', 'The body holds no Patient, so nothing was scored.', type)
  const { unassigned } = assigned
  const text = `${unassigned.length} resources name no Patient of the body as their subject. They were not used.`
  for (const { path } of unassigned) reader.report('warning', 'not-found', text, `${path}.subject`)
  for (const { path, unreadable = '' } of assigned.unreadable) {
    const text = `${unreadable} It was not used, and is doubt for its patient.`
    reader.report('warning', 'not-supported', text, path)
  }
  const { issues, narrowed } = reader
  return { ...assigned, issues, narrowed, parameters: readParameters(parameters), momentOf }
}

function elementsOf(resource: Json, name: string, path: string): readonly unknown[] {
  const given = resource[name]
  if (given === undefined || Array.isArray(given)) return allOf(given)
  throw new AppError('BODY_NOT_FHIR', `${path}.${name} must be a list.`)
}

class Reader {
  readonly entries: Entry[] = []
  readonly narrowed = new Map<string, { readonly from: number; readonly path: string }>()
  /** What the body asks to delete, by type and id. */
  readonly deleted = new Set<string>()
  /** Resources that connect records of one person. */
  readonly connections: Connection[] = []
  /** Resources of types that are not read. */
  readonly others: Other[] = []
  private readonly momentOf: Submission['momentOf']
  private readonly reported = new Map<string, Issue & { readonly expression: string[] }>()
  private readonly isFetched: boolean
  private readonly ask: () => void

  constructor(isFetched: boolean, ask: () => void, momentOf: Submission['momentOf']) {
    this.isFetched = isFetched
    this.ask = ask
    this.momentOf = momentOf
  }

  get issues(): readonly Issue[] {
    return [...this.reported.values()]
  }

  /** The same fault at many places is one issue. */
  report(severity: Issue['severity'], code: string, text: string, path: string): void {
    const known = this.reported.get(text) ?? { severity, code, text, expression: [] }
    this.reported.set(text, known)
    if (known.expression.length < MOST_EXPRESSIONS) known.expression.push(path)
  }

  addBundle(bundle: Json, path: string, isBody = false): void {
    const fault = whyNotABundle(bundle)
    if (fault !== undefined && isBody) throw new AppError('BODY_NOT_FHIR', fault)
    if (fault !== undefined) {
      this.report('error', 'not-supported', fault, path)
      return
    }
    const why = partOfResult(bundle)
    if (why !== undefined)
      throw new AppError(
        'BUNDLE_INCOMPLETE',
        `The Bundle ${why}, so counts from it would be too low. Send all pages in one Bundle.`,
      )
    for (const narrowed of narrowedBy(bundle, this.momentOf)) {
      const { type, but, from = { day: Infinity } } = narrowed
      for (const each of type === undefined ? USED.filter((one) => !but.includes(one)) : [type]) {
        // Of several results of one type each may leave out what it was not asked for.
        const known = this.narrowed.get(each)?.from ?? 0
        this.narrowed.set(each, { from: Math.max(known, from.day), path: `${path}.link` })
      }
    }
    elementsOf(bundle, 'entry', path).forEach((entry, at) => {
      this.ask()
      const place = `${path}.entry[${at}]`
      const resource = inside(entry, 'resource')
      if (isDeletion(entry, bundle['type'])) {
        this.addDeletion(textOf(inside(entry, 'request', 'url')), place)
        return
      }
      const fault = faultOfEntry(entry)
      // An answer to a batch holds the results of its searches.
      const isResult = bundle['type'] === 'batch-response' && inside(resource, 'resourceType') === 'Bundle'
      if (fault !== undefined) this.report('error', fault.code, fault.text, place)
      else if (!isObject(resource)) return
      else if (isResult) this.addBundle(resource, `${place}.resource`)
      else this.addResource(resource, `${place}.resource`, textOf(inside(entry, 'fullUrl')))
    })
  }

  addParameter(parameter: unknown, path: string): void {
    const resource = inside(parameter, 'resource')
    if (isObject(resource) && resource['resourceType'] === 'Bundle')
      this.addBundle(resource, `${path}.resource`)
    else if (isObject(resource)) this.addResource(resource, `${path}.resource`, undefined)
    else if (inside(parameter, 'name') === 'resource')
      this.report('error', 'structure', 'A parameter has no resource.', path)
    else if (inside(parameter, 'part') !== undefined)
      this.report('error', 'not-supported', 'A parameter has parts. They were not read.', path)
    else if (!PARAMETERS.includes(textOf(inside(parameter, 'name')) ?? '')) {
      const text = `A parameter is neither a resource nor one of ${PARAMETERS.join(', ')}. It was not used.`
      this.report('warning', 'not-supported', text, path)
    }
  }

  /** A deletion of something that the body does not hold changes nothing. */
  private addDeletion(url: string | undefined, place: string): void {
    const address = addressIn(url)
    if (address !== undefined) this.deleted.add(shortIn(address))
    else
      this.report(
        'error',
        'not-supported',
        'An entry deletes what a search finds, or nothing that is named.',
        place,
      )
  }

  private addResource(resource: Json, path: string, fullUrl: string | undefined): void {
    const type = textOf(resource['resourceType']) ?? ''
    const fault = faultOfResource(resource)
    this.addContained(resource, path)
    if (fault !== undefined) this.report('error', fault.code, fault.text, path)
    else if (CONNECTING.includes(type)) this.connections.push(connectionIn(resource, type, fullUrl))
    else if (USED.includes(type)) {
      const { id } = resource
      const place = this.isFetched && isId(id) ? `${type}/${id}` : path
      const unreadable = whyUnreadable(resource)
      this.entries.push({ ...entryFor(resource, type, place, fullUrl), unreadable })
    } else this.others.push({ resource, type, path, fullUrl })
  }

  /** A resource inside another one is not read. It is doubt for whom it is about: whom it names itself, or the outer one does. */
  private addContained({ contained, subject, patient }: Json, path: string): void {
    allOf(contained).forEach((inner, at) => {
      const type = textOf(inside(inner, 'resourceType')) ?? ''
      if (!isObject(inner) || type === 'Patient' || !USED.includes(type)) return
      const own = textOf(inside(inner, 'subject', 'reference'))
      const isOuter = own === undefined || own.startsWith('#')
      const resource = { ...inner, id: undefined, subject: isOuter ? (subject ?? patient) : inner['subject'] }
      this.entries.push({
        ...entryFor(resource, type, `${path}.contained[${at}]`, undefined),
        unreadable: whyUnreadable(resource, { isContained: true }),
      })
    })
  }
}

/** The value of a parameter, or what it refers to. */
export function valueOf(parameter: unknown): unknown {
  const [, value] =
    Object.entries(isObject(parameter) ? parameter : {}).find(([key]) => key.startsWith('value')) ?? []
  return isObject(value) ? value['reference'] : value
}

/** A value that is not a text becomes an empty text, which is refused later. */
export function readParameters(parameters: readonly unknown[]): Parameters {
  const named = PARAMETERS.map((name) => {
    const given = parameters.filter(isObject).filter((each) => each['name'] === name)
    return [name, given.map((each) => textOf(valueOf(each)) ?? '')] as const
  })
  return Object.fromEntries(named)
}
