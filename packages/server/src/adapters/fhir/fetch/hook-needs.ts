/**
 * What a hook lacks, and on which server it may be had. It is read where the request is parsed, on a worker: a request may be large, and
 * the thread that fetches answers others.
 */
import { type ErrorCode, invalid } from '@patient-risk/runtime'
import { type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { isToken } from '../../../remote/backend-token.ts'
import { type Searches, isId, partOfResult } from '../../../remote/search-pages.ts'

const LONGEST_ADDRESS = 2_048
const LONGEST_TOKEN = 16_384

const NARROW = 'The scope of the token has a condition, so the service would get a part of the data only.'

/** A server may give an empty result for what a token is not for, and an empty result reads like "none". */
const OF_OTHER = 'The token is for another patient than the one of the context.'
const NOT_GRANTED = 'The scope of the token does not cover all types that are searched for.'

export interface HookNeeds {
  /** The address of the server, as the request gives it. */
  readonly server: string
  readonly patient: string
  readonly token: string | undefined
  /** What is missing, by the names of their searches. */
  readonly searches: Searches
  /** Whether nothing is missing in the window, so that all Encounters are asked for. */
  readonly isWide: boolean
  /** Why nothing is fetched with this token. */
  readonly refusal: { readonly code: ErrorCode; readonly detail: string } | undefined
}

/** A hook that cannot be answered yet. */
export interface IncompleteHook {
  readonly needs: HookNeeds
  /** The body of the request. The worker that has read it gives it back. */
  readonly body: Uint8Array
}

/** The searches of the window, and those without it. */
export interface HookSearches {
  readonly inWindow: Searches
  readonly wide: Searches
}

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_ADDRESS
}

/** The request with results that were fetched for it, which come as JSON. */
export function withFetched(request: unknown, fetched: unknown): unknown {
  if (!isObject(request) || !isObject(fetched)) return request
  const { prefetch } = request
  return { ...request, prefetch: { ...(isObject(prefetch) ? prefetch : {}), ...fetched } }
}

/** Undefined where nothing can be fetched for the request. */
export function needsOf(request: unknown, { inWindow, wide }: HookSearches): HookNeeds | undefined {
  if (!isObject(request)) return undefined
  const server = request['fhirServer']
  const patient = inside(request, 'context', 'patientId')
  if (!isAddress(server) || !isId(patient)) return undefined
  const prefetch = isObject(request['prefetch']) ? request['prefetch'] : {}
  const lacking = Object.entries(inWindow).filter(([name]) => {
    const value = Object.hasOwn(prefetch, name) ? prefetch[name] : undefined
    return value === undefined || (isObject(value) && partOfResult(value) !== undefined)
  })
  const isWide = lacking.length === 0
  // The client sends an OperationOutcome for what it has tried in vain, so it is not tried again.
  if (isWide && inside(prefetch['encounters'], 'resourceType') === 'OperationOutcome') return undefined
  const searches = isWide ? { encounters: wide['encounters'] ?? '' } : Object.fromEntries(lacking)
  const { access_token: token, ...granted } = (request['fhirAuthorization'] ?? {}) as Json
  if (token !== undefined && !(isToken(token) && token.length <= LONGEST_TOKEN)) {
    const { code, detail } = invalid('The access token cannot be sent.')
    return { server, patient, token: undefined, searches, isWide, refusal: { code, detail } }
  }
  const why = whyNotGranted(granted, patient, searches)
  const refusal = why === undefined ? undefined : { code: 'PREFETCH_INCOMPLETE' as const, detail: why }
  return { server, patient, token, searches, isWide, refusal }
}

function whyNotGranted({ scope, patient }: Json, id: string, searches: Searches): string | undefined {
  // A scope with a condition gives a part of the data, and nothing in the results would say so.
  if (textOf(scope)?.includes('?')) return NARROW
  if (patient !== undefined && patient !== id) return OF_OTHER
  const types = Object.values(searches).map((search) => /^\w+/.exec(search)?.[0] ?? '')
  return types.every((type) => maySearch(scope, type)) ? undefined : NOT_GRANTED
}

/** Whether the scopes of a token cover a type of resources, in the words of SMART 1 or 2. Without scopes of types nothing is known. */
function maySearch(scope: unknown, type: string): boolean {
  const scopes = (textOf(scope) ?? '').split(/\s+/).flatMap((each) => {
    const [, scoped, may] = /^(?:patient|user|system)\/(\w+|\*)\.(\S+)$/.exec(each) ?? []
    return may === undefined ? [] : [{ scoped, may }]
  })
  const own = scopes.filter(({ scoped }) => scoped === type || scoped === '*').map(({ may }) => may)
  const hasAll = own.some((may) => may === 'read' || may === '*')
  const letters = own.filter((may) => /^c?r?u?d?s?$/.test(may)).join('')
  // A read of the Patient is no search.
  const isEnough = letters.includes('s') || (type === 'Patient' && letters.includes('r'))
  return scopes.length === 0 || hasAll || isEnough
}
