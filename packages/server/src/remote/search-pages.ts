/** Fetches what searches for a patient give from a FHIR server: all pages, within bounds of time and size. */
import { FetchFailed, type RemoteCall, type RemoteServer } from './remote-server.ts'
import { EngineError, type Json, inside, isObject, parseBody, textOf } from 'patient-risk-engine/read'
import { allOf } from './elements.ts'

/** Searches by the names under which their results come. */
export type Searches = Readonly<Record<string, string>>

/** Stands for the id of the patient, as the templates of CDS Hooks write it. */
export const PATIENT = '{{context.patientId}}'
const MOST_PAGES = 20
/** A dot or two are ids of FHIR, and steps of a path too. */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9\-.]{1,64}$/

/** Whether a text can be the id of a resource. Anything else could change the address that is called. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID.test(text)
}

/** The results by the names of their searches. Throws FetchFailed where one of them is not to be had. */
export async function fetchResults(
  server: RemoteServer,
  searches: Searches,
  id: string,
  call: RemoteCall,
): Promise<Json> {
  const results = Object.entries(searches).map(async ([name, search]) => {
    const [path = '', query] = search.replaceAll(PATIENT, id).split('?')
    const url = new URL(path, server.base)
    for (const part of query?.split('&') ?? []) {
      const [parameter = '', value = ''] = part.split(/=(.*)/s)
      url.searchParams.append(parameter, value)
    }
    return [name, query === undefined ? await read(server, url, call) : await readPages(server, url, call)]
  })
  return Object.fromEntries(await Promise.all(results)) as Json
}

/** All pages of a result as one Bundle, with the total that the first page states. */
async function readPages(server: RemoteServer, first: URL, call: RemoteCall): Promise<Json> {
  const entry: unknown[] = []
  const seen = new Set<string>()
  let total: unknown
  for (let url: URL | null = first; url !== null;) {
    if (seen.size === MOST_PAGES) throw new FetchFailed(`The FHIR server gave more than ${MOST_PAGES} pages.`)
    const own = server.addressOf(url)
    if (own === undefined || seen.has(own.href))
      throw new FetchFailed('The FHIR server gave a next page that is not one of this result.')
    seen.add(own.href)
    const page = await read(server, own, call)
    if (page['resourceType'] !== 'Bundle' || page['type'] !== 'searchset')
      throw new FetchFailed('The FHIR server did not answer a search with a searchset.')
    if (seen.size === 1) total = page['total']
    for (const each of allOf(page['entry'])) entry.push(each)
    const next = allOf(page['link']).find((link) => relationOf(link) === 'next')
    url = next === undefined ? null : URL.parse(textOf(inside(next, 'url')) ?? '', own.href)
    if (next !== undefined && url === null)
      throw new FetchFailed('The FHIR server gave a next page without an address.')
  }
  const result = { resourceType: 'Bundle', type: 'searchset', total, entry }
  const why = partOfResult(result)
  if (why !== undefined) throw new FetchFailed(`The result of the FHIR server ${why}.`)
  return result
}

async function read(server: RemoteServer, url: URL, call: RemoteCall): Promise<Json> {
  const bytes = await server.call(url, call)
  try {
    const value = parseBody(bytes)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
  }
  throw new FetchFailed('The FHIR server sent something that is not a resource.')
}

/** What an entry is of: its address, or type and id. */
function nameOf(entry: unknown): string | undefined {
  const resource = inside(entry, 'resource')
  const type = textOf(inside(resource, 'resourceType'))
  const id = textOf(inside(resource, 'id'))
  return id === undefined ? textOf(inside(entry, 'fullUrl')) : `${type} ${id}`
}

/** Why a Bundle is not the whole result of a search, so that counts from it would be too low; undefined where it may be. */
export function partOfResult({ total, link, entry }: Json): string | undefined {
  const relations = allOf(link).map(relationOf)
  if (relations.some((relation) => /^(next|prev(ious)?)$/.test(relation))) return 'is one page of several'
  if (relations.includes('')) return 'has a link that does not say what it leads to'
  const matches = allOf(entry).filter((each) => (inside(each, 'search', 'mode') ?? 'match') === 'match')
  // While pages are read, changes may show an entry twice in place of another one.
  const found = new Set(matches.map((each) => nameOf(each) ?? each))
  // Some servers write the number as a text.
  const stated = Number(total ?? 0)
  if (Number.isNaN(stated)) return 'has a total that is not a number'
  return found.size < stated ? 'has fewer entries than its total' : undefined
}

/** What a link leads to; empty where it does not say so. */
export function relationOf(link: unknown): string {
  return (textOf(inside(link, 'relation')) ?? '').trim().toLowerCase()
}
