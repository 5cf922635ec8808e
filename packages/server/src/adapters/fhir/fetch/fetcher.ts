/** The FHIR servers that the operator has listed, and what is fetched from them for a request. */
import type { FastifyReply } from 'fastify'
import type { FhirServer } from '@patient-risk/catalog/config'
import { AppError, invalid } from '@patient-risk/runtime'
import { type Access, BackendToken, accessTo } from '../../../remote/backend-token.ts'
import { OwnTime } from '../../../remote/own-time.ts'
import { FetchFailed, type RemoteCall, RemoteServer, upTo } from '../../../remote/remote-server.ts'
import { type Json, inside, listOf, parseBody, textOf } from 'patient-risk-engine/read'
import { parseMoment } from '../read/moment.ts'
import { type Parameters, valueOf } from '../read/body/submission.ts'
import { type Searches, fetchResults, isId } from '../../../remote/search-pages.ts'
import { type HookNeeds, type IncompleteHook, isAddress } from './hook-needs.ts'

/** A person waits for a card. */
const HOOK_MS = 5_000
/** What one patient may take of the time and bytes of a call, so that a bad one costs the others nothing. */
const PATIENT_MS = 10_000
const PATIENT_BYTES = 4 * 1024 * 1024
/** What is missing is fetched first, all Encounters then. */
const ROUNDS = 2
const PATIENTS_MS = 60_000
const MOST_PATIENTS = 100
/** It is parsed in the thread that answers requests: at worst, that takes 4 ms. */
export const MOST_REQUEST_BYTES = 64 * 1024
const AT_A_TIME = 4
const NAMES = ['fhirServer', 'patient', 'asOf', 'encounter']

/** How the audit marks a call that rests on more than its body. */
export const FETCHED = 'fetched from a FHIR server'

/** A patient with the results of its searches, or with the reason why they could not be fetched. */
export interface FetchedPatient {
  /** Where the call names it, as a FHIRPath of the body. */
  readonly at: string
  /** Its address on the server; empty where the call does not give one. */
  readonly reference: string
  readonly id: string
  readonly results?: Json
  readonly failed?: string
}

/** A stay that the call names as the index stay of its patient. */
export interface NamedStay {
  /** Where the call names it, as a FHIRPath of the body; undefined in the query. */
  readonly at?: string
  /** Type and id. */
  readonly reference: string
}

export interface Fetched {
  readonly patients: readonly FetchedPatient[]
  readonly stays: readonly NamedStay[]
  /** The parameters of the call that are about the assessment. */
  readonly parameter: readonly unknown[]
}

/** For whom something is fetched, and what it may take. */
interface Terms {
  readonly reply: FastifyReply
  readonly maxBytes: number
  /** Counts bytes that the request holds. Throws where all requests together hold too many. */
  readonly hold: (bytes: number) => void
}

/** A try to answer a hook: the body, and the results that were fetched for it. */
export interface HookAttempt {
  readonly body: Uint8Array
  /** Results by the names of their searches, as JSON. */
  readonly fetched: Uint8Array | undefined
  readonly mayFetch: boolean
  /** Whether all Encounters were fetched. */
  readonly isWide: boolean
}

/** What a try gives: an answer, or what is missing for one. */
interface HookAnswer {
  readonly incomplete?: IncompleteHook | undefined
}

interface Listed {
  readonly server: RemoteServer
  readonly token: BackendToken | undefined
}

export class Fetcher {
  private readonly listed: readonly Listed[]
  private readonly hookMs: number

  /** `hookMs` is what a hook may wait for servers in all. */
  constructor(servers: readonly FhirServer[] = [], hookMs = HOOK_MS) {
    this.hookMs = hookMs
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
   * body may be large, so `answer` reads it on a worker, which gives it back where something is missing.
   */
  async answerHook<Answer extends HookAnswer>(
    body: Uint8Array,
    answer: (attempt: HookAttempt) => Promise<Answer>,
    terms: Terms,
  ): Promise<Answer> {
    let call: RemoteCall | undefined
    let results: Json = {}
    let attempt: HookAttempt = { body, fetched: undefined, mayFetch: this.isUsed, isWide: false }
    for (let round = 1; ; round++) {
      const answered = await answer(attempt)
      if (answered.incomplete === undefined) return answered
      const { needs, body } = answered.incomplete
      const server = this.find(needs.server)?.server
      if (server === undefined) attempt = { ...attempt, body, mayFetch: false }
      else {
        call ??= callFor(terms, this.hookMs)
        results = { ...results, ...(await fetchNeeds(server, needs, call)) }
        const { isWide } = needs
        const fetched = Buffer.from(JSON.stringify(results))
        attempt = { body, fetched, mayFetch: !isWide && round < ROUNDS, isWide }
      }
    }
  }

  /** Fetches the patients that Parameters name, a few at a time. Undefined where the body does not ask for that. */
  async fetchPatients(
    body: Uint8Array,
    query: Parameters,
    searches: Searches,
    deployment: string,
    terms: Terms,
  ): Promise<Fetched | undefined> {
    const { buffer, byteOffset, length } = body
    if (length > MOST_REQUEST_BYTES || !Buffer.from(buffer, byteOffset, length).includes('"fhirServer"'))
      return undefined
    const request = parseBody(body)
    const parameter = listOf(inside(request, 'parameter'))
    const nameOf = (each: unknown): string => textOf(inside(each, 'name')) ?? ''
    const named = parameter.map((each, at) => ({ name: nameOf(each), value: valueOf(each), at }))
    const [server, ...others] = named.filter(({ name }) => name === 'fhirServer')
    if (inside(request, 'resourceType') !== 'Parameters' || server === undefined) return undefined
    const isOther = named.some(({ name }) => !NAMES.includes(name))
    if (others.length > 0 || isOther || query['history'] !== undefined)
      throw invalid(`With one fhirServer, the parameters are ${NAMES.join(', ')}.`)
    const moments = [
      ...[query['asOf'] ?? []].flat(),
      ...named.flatMap(({ name, value }) => (name === 'asOf' ? [value] : [])),
    ]
    if (
      moments.length > 1 ||
      moments.some((each) => parseMoment(textOf(each)?.replace(' ', '+'))?.precision !== 'day')
    )
      throw invalid('The parameter asOf must be one date or date and time.')
    const found = this.find(server.value)
    if (found?.server.settings.backend?.deployments.includes(deployment) !== true)
      throw invalid('The fhirServer is not one that this deployment may fetch patients from (fhir.servers).')
    const asked = named.filter(({ name }) => name === 'patient')
    if (asked.length === 0) throw invalid('Parameters name no patient. Write each as Patient/<id>.')
    if (asked.length > MOST_PATIENTS)
      throw new AppError('TOO_MANY_RECORDS', `A call may name ${MOST_PATIENTS} patients of a server.`)
    const stays = [
      ...[query['encounter'] ?? []].flat().map((value) => stayOn(found.server, value)),
      ...named
        .filter(({ name }) => name === 'encounter')
        .map(({ value, at }) => stayOn(found.server, value, `Parameters.parameter[${at}]`)),
    ]
    const call = callFor(terms, PATIENTS_MS)
    const access = accessTo(found.token)
    const patients: FetchedPatient[] = []
    const waiting = [...asked.entries()]
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { value, at } = next[1]
        const reference = found.server.base.href + pathOn(found.server, value)
        const place = `Parameters.parameter[${at}]`
        patients[next[0]] = await fetchOne(found.server, { at: place, reference }, access, searches, call)
      }
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, work))
    return { patients, stays, parameter: parameter.filter((each) => nameOf(each) === 'asOf') }
  }

  private find(address: unknown): Listed | undefined {
    if (!isAddress(address)) return undefined
    const url = URL.parse(address.endsWith('/') ? address : `${address}/`)
    return url === null ? undefined : this.listed.find(({ server }) => server.isNamed(url))
  }
}

/** Throws where the server does not give all that is needed. */
async function fetchNeeds(server: RemoteServer, needs: HookNeeds, call: RemoteCall): Promise<Json> {
  const { refusal, token, searches, patient } = needs
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.detail)
  return fetchResults(server, searches, patient, { ...call, token }).catch((error: unknown) => {
    if (error instanceof FetchFailed) throw new AppError('PREFETCH_INCOMPLETE', error.message)
    throw error
  })
}

/** A reference as a path below the base of a server: what is absolute on another server stays as it is. */
function pathOn(server: RemoteServer, reference: unknown): string {
  const given = textOf(reference) ?? ''
  const url = URL.parse(given)
  const own = url === null ? undefined : server.addressOf(url)
  return own === undefined ? given : own.href.slice(server.base.href.length)
}

/** Throws for what is no reference to an Encounter of the server. */
function stayOn(server: RemoteServer, value: unknown, at?: string): NamedStay {
  const reference = pathOn(server, value)
  const [, id] = /^Encounter\/([^/]*)$/.exec(reference) ?? []
  if (!isId(id))
    throw invalid('The parameter encounter must name an Encounter of the fhirServer, as Encounter/<id>.')
  return at === undefined ? { reference } : { reference, at }
}

async function fetchOne(
  server: RemoteServer,
  { at, reference }: Pick<FetchedPatient, 'at' | 'reference'>,
  access: Access,
  searches: Searches,
  call: RemoteCall,
): Promise<FetchedPatient> {
  const [, id] = /^Patient\/([^/]*)$/.exec(reference.slice(server.base.href.length)) ?? []
  if (!isId(id)) return { at, reference: '', id: '', failed: 'A patient must be named as Patient/<id>.' }
  const patient = { at, reference, id }
  const own = upTo(PATIENT_BYTES)
  const time = new OwnTime(PATIENT_MS)
  const terms: RemoteCall = {
    ...call,
    signal: AbortSignal.any([call.signal, time.signal]),
    onWait: (ms) => time.addWait(ms),
    take: (bytes) => {
      own(bytes)
      call.take(bytes)
    },
  }
  const attempt = async (isLast: boolean): Promise<Json> => {
    const token = await access.token()
    return fetchResults(server, searches, id, { ...terms, token }).catch((error: unknown) => {
      if (isLast || !(error instanceof FetchFailed) || error.status !== 401) throw error
      // The token may have been revoked. A second refusal is final.
      access.renew(token)
      return attempt(true)
    })
  }
  try {
    const results = await attempt(false)
    return { ...patient, results: { ...results, patient: addressed(results, reference) } }
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    const isUnknown = error.status === 404 || error.status === 410
    return { ...patient, failed: isUnknown ? 'The FHIR server has no such Patient.' : error.message }
  } finally {
    time.end()
  }
}

/** The Patient with an address, which a read leaves out: on the server that other results name, so that their references fit. */
function addressed({ patient, ...results }: Json, reference: string): Json {
  const { encounters, ...others } = results
  const [base] = [encounters, ...Object.values(others)].flatMap((result) =>
    listOf(inside(result, 'entry')).flatMap((entry) => baseOf(entry) ?? []),
  )
  const fullUrl = base === undefined ? reference : reference.replace(/^.*\/(?=Patient\/)/, base)
  return { resourceType: 'Bundle', type: 'collection', entry: [{ fullUrl, resource: patient }] }
}

/** The server that an entry is on, as its address says; undefined where it says none. */
function baseOf(entry: unknown): string | undefined {
  return /^(.*\/)[A-Z]\w+\/[^/]+$/.exec(textOf(inside(entry, 'fullUrl')) ?? '')?.[1]
}

/** A call that ends out of time, or when the connection of the caller breaks. A caller may also send no more and wait. */
function callFor({ reply, maxBytes, hold }: Terms, ms: number): RemoteCall {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const all = upTo(maxBytes)
  const take = (bytes: number): void => {
    all(bytes)
    hold(bytes)
  }
  const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(ms)])
  return { signal, endsAt: Date.now() + ms, take }
}
