/** Resources of types that are not read, such as a Claim or a List, and the Encounters that they name. */
import { isObject } from 'patient-risk-engine/read'
import { type Entry, type Resolve, entryFor } from './entry.ts'
import { addressIn, urnIn } from './references.ts'
import type { Json } from 'patient-risk-engine/read'

/** A resource of a type that is not read, as the body has it. */
export interface Other {
  readonly resource: Json
  readonly type: string
  readonly path: string
  readonly fullUrl: string | undefined
}

/** The elements that hold the patient, in the types that have no subject. */
const SUBJECTS = ['subject', 'patient', 'for', 'beneficiary']
/** The elements in which a urn stands for an Encounter. */
const ENCOUNTERS = ['encounter', 'context']

/** Those that name an Encounter which the body does not hold, each with its patient as its subject. A mistake says nothing of a visit. */
export function othersNamingUnsent(others: readonly Other[], resolve: Resolve): readonly Entry[] {
  return others.flatMap(({ resource, type, path, fullUrl }) => {
    if (resource['status'] === 'entered-in-error') return []
    const references = encountersIn(resource)
    if (references.length === 0) return []
    const subject = SUBJECTS.map((name) => resource[name]).find((each) => each !== undefined)
    const entry = entryFor({ ...resource, subject }, type, path, fullUrl)
    return references.some((each) => resolve(each, entry) === undefined) ? [entry] : []
  })
}

/** The references to Encounters, wherever they are in a resource. */
function encountersIn(node: unknown, key = ''): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((each) => encountersIn(each, key))
  if (!isObject(node)) return []
  return Object.keys(node).flatMap((name) => {
    const value = node[name]
    if (name !== 'reference' || typeof value !== 'string') return encountersIn(value, name)
    return isEncounter(value, key) ? [value] : []
  })
}

function isEncounter(reference: string, key: string): boolean {
  if (reference.includes('Encounter')) return addressIn(reference)?.type === 'Encounter'
  return ENCOUNTERS.includes(key) && urnIn(reference) !== undefined
}
