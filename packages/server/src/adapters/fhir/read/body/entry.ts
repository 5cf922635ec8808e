/** A resource of the body with the names that it has there. */
import { type Json, inside } from 'patient-risk-engine/read'
import { addressIn, keyIn, shortIn } from './references.ts'

export interface Entry {
  readonly resource: Json
  readonly type: string
  /** Where the resource is, as a FHIRPath of the body. */
  readonly path: string
  /** The address of the server that it comes from, with a slash at its end; undefined where its fullUrl names none. */
  readonly server: string | undefined
  /** Type and id; empty where neither the resource nor its fullUrl has an id. */
  readonly short: string
  /** How the body names it: its fullUrl in the one form that is compared, or type and id. */
  readonly key: string
  /** How answers refer to it: by its fullUrl, which names its server, or by type and id. */
  readonly reference: string
  /** Why it is not read: a modifier that is not known, or another thing that it is about. */
  readonly unreadable?: string | undefined
}

/** The resource that a reference means, seen from the entry that holds it. */
export type Resolve = (reference: unknown, from?: Entry) => Entry | undefined

/** The resource that an element of an entry refers to. */
export type Linked = (entry: Entry, element: string) => Entry | undefined

export function linker(resolve: Resolve): Linked {
  return (entry, element) => resolve(inside(entry.resource, element, 'reference'), entry)
}

/** An entry of the body, with the names that it has. */
export function entryFor(resource: Json, type: string, path: string, fullUrl: string | undefined): Entry {
  const { id } = resource
  const named = addressIn(fullUrl)
  const own = typeof id === 'string' && id !== '' ? `${type}/${id}` : ''
  const inUrl = named?.type === type ? shortIn(named) : ''
  const isOnServer = inUrl !== '' && (own === '' || own === inUrl)
  const key = keyIn(fullUrl)
  return {
    resource,
    type,
    path,
    server: isOnServer ? named?.server : undefined,
    short: own === '' ? inUrl : own,
    key: key === '' ? own : key,
    reference: fullUrl?.trim() ?? own,
  }
}
