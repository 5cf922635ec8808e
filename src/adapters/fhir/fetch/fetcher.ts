/** The FHIR servers that the operator has listed, and what is fetched from them for a request. */
import type { FastifyReply } from 'fastify'
import type { FhirServer } from '../../../config/config-schema.ts'
import { AppError } from '../../../errors.ts'
import { BackendToken } from '../../../remote/backend-token.ts'
import { FetchFailed, type RemoteCall, RemoteServer } from '../../../remote/remote-server.ts'
import { type Json, inside, isObject, listOf, textOf } from '../json.ts'
import { parseBody, partOfResult } from '../read/submission.ts'
import { fetchResults, isId } from './fetch-results.ts'
import type { Searches } from './searches.ts'

/** A person waits for a card. */
const HOOK_MS = 5_000
/** What one patient may take of the time and bytes of a call, so that a bad one costs the others nothing. */
const PATIENT_MS = 10_000
const PATIENT_BYTES = 8 * 1024 * 1024
/** What is missing is fetched first, all Encounters then. */
const ROUNDS = 2
const PATIENTS_MS = 60_000
const MOST_PATIENTS = 100
const MOST_REQUEST_BYTES = 1024 * 1024
const AT_A_TIME = 4
const NAMES = ['fhirServer', 'patient', 'asOf']

/** How the audit marks a call that rests on more than its body. */
export const FETCHED = 'fetched from a FHIR server'

/** A patient with the results of its searches, or with the reason why there are none. */
export interface FetchedPatient {
  readonly reference: string
  readonly id: string
  readonly results?: Json
  readonly failed?: string
}

export interface Fetched {
  readonly patients: readonly FetchedPatient[]
  /** The parameters of the call that are about the assessment. */
  readonly parameter: readonly unknown[]
}

interface CompletedHook {
  readonly body: Uint8Array
  /** Whether all Encounters were fetched. */
  readonly isWide: boolean
}

interface HookTerms {
  readonly searches: { readonly inWindow: Searches; readonly wide: Searches }
  readonly reply: FastifyReply
  readonly maxBytes: number
  readonly onFetched: (bytes: number) => void
}

interface Listed {
  readonly server: RemoteServer
  readonly token: BackendToken | undefined
}

export class Fetcher {
  private readonly listed: readonly Listed[]

  constructor(servers: readonly FhirServer[] = []) {
    this.listed = servers.map((settings) => {
      const server = new RemoteServer(settings)
      const { backend } = settings
      return { server, token: backend === undefined ? undefined : new BackendToken(server, backend) }
    })
  }

  /** Whether there is a server to fetch from. */
  get isUsed(): boolean {
    return this.listed.length > 0
  }

  /** The public keys of this service, for the operators of the servers. */
  get publicKeys(): readonly object[] {
    return this.listed.flatMap(({ token }) => token?.publicKey ?? [])
  }

  /**
   * Answers a hook, and fetches what the answer lacks: first the searches that are absent or cut short, then all Encounters. The
   * answer may take the body, so a copy is kept while more can be fetched.
   */
  async answerHook(
    body: Uint8Array,
    answer: (body: Uint8Array, mayFetch: boolean, isWide: boolean) => Promise<Uint8Array>,
    { searches, reply, maxBytes, onFetched }: HookTerms,
  ): Promise<Uint8Array> {
    let call: RemoteCall | undefined
    let next: CompletedHook = { body, isWide: false }
    for (let round = 0; this.isUsed && round < ROUNDS && !next.isWide; round++) {
      // A slice of a Buffer would be the same memory.
      const kept = new Uint8Array(next.body)
      try {
        return await answer(next.body, true, false)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'PREFETCH_INCOMPLETE') throw error
      }
      call ??= callFor(reply, HOOK_MS, maxBytes)
      const completed = await this.completeHook(kept, searches, call)
      if (completed === undefined) return answer(kept, false, false)
      onFetched(completed.body.length)
      next = completed
    }
    return answer(next.body, false, next.isWide)
  }

  /** A request with what its prefetch lacks; undefined where it names no server of the list. */
  private async completeHook(
    body: Uint8Array,
    searches: HookTerms['searches'],
    call: RemoteCall,
  ): Promise<CompletedHook | undefined> {
    const request = parseBody(body) as Json
    const server = this.find(request['fhirServer'])?.server
    const id = inside(request, 'context', 'patientId')
    if (server === undefined || !isId(id)) return undefined
    const prefetch = isObject(request['prefetch']) ? request['prefetch'] : {}
    const lacking = Object.entries(searches.inWindow).filter(([name]) => {
      const value = Object.hasOwn(prefetch, name) ? prefetch[name] : undefined
      return value === undefined || (isObject(value) && partOfResult(value) !== undefined)
    })
    const isWide = lacking.length === 0
    // The client sends an OperationOutcome for what it has tried in vain, so it is not tried again.
    if (isWide && inside(prefetch['encounters'], 'resourceType') === 'OperationOutcome') return undefined
    const wanted = isWide ? { encounters: searches.wide['encounters'] ?? '' } : Object.fromEntries(lacking)
    const token = textOf(inside(request, 'fhirAuthorization', 'access_token'))
    const fetched = await fetchResults(server, wanted, id, { ...call, token }).catch((error: unknown) => {
      if (error instanceof FetchFailed) throw new AppError('PREFETCH_INCOMPLETE', error.message)
      throw error
    })
    const filled = { ...request, prefetch: { ...prefetch, ...fetched } }
    return { body: Buffer.from(JSON.stringify(filled)), isWide }
  }

  /** Fetches the patients that Parameters name, a few at a time. Undefined where the body does not ask for that. */
  async fetchPatients(
    body: Uint8Array,
    searches: Searches,
    deployment: string,
    reply: FastifyReply,
    maxBytes: number,
  ): Promise<Fetched | undefined> {
    const { buffer, byteOffset, length } = body
    if (length > MOST_REQUEST_BYTES || !Buffer.from(buffer, byteOffset, length).includes('"fhirServer"'))
      return undefined
    const request = parseBody(body)
    const parameter = listOf(inside(request, 'parameter'))
    const named = (name: string): readonly unknown[] =>
      parameter.filter((each) => inside(each, 'name') === name).map(valueOf)
    const [address, ...others] = named('fhirServer')
    if (inside(request, 'resourceType') !== 'Parameters' || address === undefined) return undefined
    if (others.length > 0 || parameter.some((each) => !NAMES.includes(String(inside(each, 'name')))))
      throw invalid(`With one fhirServer, the parameters are ${NAMES.join(', ')}.`)
    const found = this.find(address)
    if (found?.server.settings.backend?.deployments.includes(deployment) !== true)
      throw invalid('The fhirServer is not one that this deployment may fetch patients from (fhir.servers).')
    const references = named('patient').map(
      (value) => textOf(isObject(value) ? value['reference'] : value) ?? '',
    )
    if (references.length === 0) throw invalid('Parameters name no patient. Write each as Patient/<id>.')
    if (references.length > MOST_PATIENTS)
      throw new AppError('TOO_MANY_RECORDS', `A call may name ${MOST_PATIENTS} patients of a server.`)
    const call = callFor(reply, PATIENTS_MS, maxBytes)
    const patients: FetchedPatient[] = []
    const waiting = [...references.entries()]
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        patients[next[0]] = await fetchOne(found, next[1], searches, call)
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, work))
    return { patients, parameter: parameter.filter((each) => inside(each, 'name') === 'asOf') }
  }

  private find(address: unknown): Listed | undefined {
    const url = URL.parse(String(address).replace(/\/*$/, '/'))
    return this.listed.find(({ server }) => server.base.href === url?.href)
  }
}

async function fetchOne(
  { server, token }: Listed,
  reference: string,
  searches: Searches,
  call: RemoteCall,
): Promise<FetchedPatient> {
  const [, id] = /^Patient\/([^/]*)$/.exec(reference) ?? []
  if (!isId(id)) return { reference, id: '', failed: 'A patient must be named as Patient/<id>.' }
  const patient = { reference: server.base.href + reference, id }
  const bytes = Math.min(PATIENT_BYTES, call.budget.bytes)
  const budget = { bytes }
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PATIENT_MS)])
  const attempt = async (isLast: boolean): Promise<Json> => {
    const used = await token?.get()
    return fetchResults(server, searches, id, { signal, budget, token: used }).catch((error: unknown) => {
      if (isLast || !(error instanceof FetchFailed) || error.status !== 401) throw error
      // The token may have been revoked. A second refusal is final.
      token?.forget(used)
      return attempt(true)
    })
  }
  try {
    const results = await attempt(false)
    return { ...patient, results: { ...results, patient: addressed(results, patient.reference) } }
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    return { ...patient, failed: error.message }
  } finally {
    call.budget.bytes -= bytes - Math.max(0, budget.bytes)
  }
}

/** The Patient with an address, which a read leaves out: on the server that its Encounters name, so that their references fit. */
function addressed({ patient, encounters }: Json, reference: string): Json {
  const [first] = listOf(inside(encounters, 'entry'))
  const [, base] = /^(.*\/)Encounter\/[^/]+$/.exec(String(inside(first, 'fullUrl'))) ?? []
  const fullUrl = base === undefined ? reference : reference.replace(/^.*\/(?=Patient\/)/, base)
  return { resourceType: 'Bundle', type: 'collection', entry: [{ fullUrl, resource: patient }] }
}

/** A call that ends with the request: when the caller hangs up, or out of time. */
function callFor({ raw }: FastifyReply, ms: number, bytes: number): RemoteCall {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(ms)]), budget: { bytes } }
}

function valueOf(parameter: unknown): unknown {
  return isObject(parameter)
    ? Object.entries(parameter).find(([key]) => key.startsWith('value'))?.[1]
    : undefined
}

function invalid(detail: string): AppError {
  return new AppError('REQUEST_INVALID', detail)
}
