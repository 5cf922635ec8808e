/**
 * A FHIR server with SMART Backend Services: HAPI behind a layer that issues tokens, checks them with their scopes, counts requests and
 * misbehaves when told to. HAPI gets the Host header of the caller, so its links lead back here.
 */
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Resource } from '../source.ts'
import { type Fault, type TokenFault, answerWrongly, changeAnswer, send } from './misbehave.ts'
import { type Quirk, type Reply, withQuirk } from './quirks.ts'
import {
  AssertionVerifier,
  type Client,
  type Grant,
  Grants,
  TokenRefusal,
  isGranted,
} from './token-endpoint.ts'

export interface Seen {
  readonly path: string
  status: number
  /** Bytes sent on its connection up to its end. */
  bytes: number
}

interface Options {
  /** The port of the FHIR server on 127.0.0.1. */
  readonly port: number
  /** Another origin, to which redirects and bad links lead. It must never be called. */
  readonly elsewhere?: string
}

export interface GuardedServer {
  /** The base of the FHIR server. */
  readonly url: string
  readonly tokenUrl: string
  readonly grants: Grants
  /** Requests for FHIR resources, and to the token endpoint, since the last reset. */
  readonly seen: Seen[]
  readonly tokenRequests: Seen[]
  /** Why token requests were refused. */
  readonly refusals: string[]
  /** The client that may ask for tokens. */
  client: Client | undefined
  expiresInS: number
  tokenFault: TokenFault | undefined
  /** Requests whose path matches are answered wrongly. */
  fault: { readonly kind: Fault; readonly only: RegExp } | undefined
  /** An unusual, right form of every answer. */
  quirk: Quirk | undefined
  /** Right answers, no counts. Tokens remain valid. */
  reset(): void
  close(): Promise<void>
}

const JSON_TYPE = 'application/json'
const FHIR_JSON = 'application/fhir+json;charset=UTF-8'
export const EXPIRES_IN_S = 300

export async function guard({ port, elsewhere = 'http://127.0.0.1:9' }: Options): Promise<GuardedServer> {
  const grants = new Grants()
  const searches = new Map<string, Target>()
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, 500, 'text/plain', String(error))
    })
  })
  const origin = await listen(server)
  const guarded: GuardedServer = {
    url: `${origin}/fhir`,
    tokenUrl: `${origin}/token`,
    grants,
    seen: [],
    tokenRequests: [],
    refusals: [],
    client: undefined,
    expiresInS: EXPIRES_IN_S,
    tokenFault: undefined,
    fault: undefined,
    quirk: undefined,
    reset() {
      const usual = { expiresInS: EXPIRES_IN_S, tokenFault: undefined, fault: undefined, quirk: undefined }
      Object.assign(guarded, usual)
      for (const list of [guarded.seen, guarded.tokenRequests, guarded.refusals]) list.length = 0
    },
    close: () => closeServer(server),
  }
  const verifier = new AssertionVerifier(guarded.tokenUrl, () => guarded.client)

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? ''
    const body = await textOf(incoming)
    const isConfiguration = path === '/fhir/.well-known/smart-configuration'
    const isToken = path === '/token'
    const seen: Seen = { path, status: 0, bytes: 0 }
    if (!isConfiguration) (isToken ? guarded.tokenRequests : guarded.seen).push(seen)
    const { socket } = incoming
    response.on('close', () =>
      Object.assign(seen, { status: response.statusCode, bytes: socket.bytesWritten }),
    )
    const reply = isConfiguration
      ? configuration()
      : await (isToken ? answerToken(incoming, response, body) : answerFhir(incoming, response, body))
    if (reply !== undefined) send(response, ...reply)
  }

  function configuration(): Reply {
    if (guarded.tokenFault === 'no-configuration') return [404, 'text/plain', 'not here']
    const isElsewhere = guarded.tokenFault === 'token-elsewhere'
    const published = {
      issuer: guarded.url,
      token_endpoint: isElsewhere ? `${elsewhere}/token` : guarded.tokenUrl,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
      scopes_supported: ['system/*.rs'],
      capabilities: ['client-confidential-asymmetric', 'permission-v2'],
    }
    return [200, JSON_TYPE, JSON.stringify(published)]
  }

  async function answerToken(
    incoming: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): Promise<Reply | undefined> {
    const { tokenFault: fault } = guarded
    if (fault === 'token-hang') return undefined
    if (fault === 'token-redirect') {
      response.writeHead(307, { location: `${elsewhere}/token` }).end()
      return undefined
    }
    if (fault === 'token-500') return [500, JSON_TYPE, '{"error":"server_error"}']
    if (fault === 'token-html') return [200, 'text/html', '<html>Sign in</html>']
    try {
      const asked = await verifier.verify(incoming, body)
      if (fault === 'token-refused') throw new TokenRefusal('unauthorized_client', 'told to refuse')
      const scopes = fault === 'smaller-scope' ? asked.filter((each) => each.includes('/Patient.')) : asked
      const { token } = grants.issue(scopes, guarded.expiresInS)
      const expiry = { expires_in: guarded.expiresInS, scope: scopes.join(' ') }
      return [200, JSON_TYPE, JSON.stringify({ access_token: token, token_type: 'bearer', ...expiry })]
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error
      guarded.refusals.push(`${error.code}: ${error.message}`)
      const status = error.code === 'invalid_client' ? 401 : 400
      return [status, JSON_TYPE, JSON.stringify({ error: error.code })]
    }
  }

  async function answerFhir(
    incoming: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): Promise<Reply | undefined> {
    const asked = new URL(incoming.url ?? '', origin)
    const fault =
      guarded.fault?.only.test(decodeURIComponent(asked.pathname + asked.search)) === true
        ? guarded.fault.kind
        : undefined
    if (fault !== undefined && answerWrongly(fault, response, elsewhere)) return undefined
    const target = targetOf(asked, body, searches)
    if (target === undefined) return [404, 'text/plain', 'not a read or a search']
    const grant = grants.find(incoming.headers.authorization)
    if (grant === undefined) {
      answerWrongly('unauthorized', response, elsewhere)
      return undefined
    }
    if (!mayGet(grant, target)) return [403, FHIR_JSON, '{"resourceType":"OperationOutcome"}']
    const { status, resource } = await forward(port, incoming, body)
    rememberPages(resource, target, searches)
    if (guarded.quirk !== undefined) return withQuirk(guarded.quirk, status, resource)
    const sent = fault === undefined ? resource : changeAnswer(fault, resource, asked, elsewhere)
    return [status, FHIR_JSON, JSON.stringify(sent)]
  }
  return guarded
}

/** What a request reads: the type, how, and of which patient. */
interface Target {
  readonly type: string
  readonly right: 'r' | 's'
  readonly patient: string | undefined
}

function targetOf(asked: URL, body: string, searches: ReadonlyMap<string, Target>): Target | undefined {
  const query = new URLSearchParams(`${asked.search.slice(1)}&${body}`)
  const known = searches.get(query.get('_getpages') ?? '')
  if (known !== undefined) return known
  const [, type = '', id] = /^\/fhir\/([A-Z][A-Za-z]+)(?:\/([^/]+))?$/.exec(asked.pathname) ?? []
  if (type === '') return undefined
  const patient = (query.get('patient') ?? query.get('subject'))?.replace(/^Patient\//, '')
  if (id === undefined || id === '_search') return { type, right: 's', patient }
  return { type, right: 'r', patient: type === 'Patient' ? id : undefined }
}

function mayGet({ scopes, patient }: Grant, target: Target): boolean {
  return isGranted(scopes, target.type, target.right) && (patient === undefined || patient === target.patient)
}

/** The pages of a search in HAPI name no type, only the id of the search. */
function rememberPages(resource: Resource, target: Target, searches: Map<string, Target>): void {
  for (const { url } of (resource['link'] ?? []) as readonly { readonly url: string }[]) {
    const id = new URL(url).searchParams.get('_getpages')
    if (id !== null) searches.set(id, target)
  }
}

function forward(
  port: number,
  { method, url, headers }: IncomingMessage,
  body: string,
): Promise<{ readonly status: number; readonly resource: Resource }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; resource: Resource }>()
  const { host, 'content-type': type = 'application/x-www-form-urlencoded' } = headers
  const sent = { host, accept: 'application/fhir+json', ...(body === '' ? {} : { 'content-type': type }) }
  // The number of an endless page is ours; HAPI refuses parameters that it does not know.
  const path = url?.replace(/[?&]page=\d+/, '')
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers: sent }, (incoming) => {
    textOf(incoming)
      .then((text) => {
        resolve({ status: incoming.statusCode ?? 0, resource: JSON.parse(text) as Resource })
      })
      .catch(reject)
  })
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

/** An origin that must never be called: every request to it is kept. */
export async function forbiddenOrigin(): Promise<{
  readonly origin: string
  readonly calls: string[]
  close(): Promise<void>
}> {
  const calls: string[] = []
  const server = createServer((incoming, response) => {
    calls.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`)
    send(response, 200, FHIR_JSON, '{"resourceType":"Bundle","type":"searchset"}')
  })
  return { origin: await listen(server), calls, close: () => closeServer(server) }
}

async function listen(server: Server): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  server.listen(0, '127.0.0.1', () => resolve(undefined))
  await promise
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  server.close(() => resolve(undefined))
  server.closeAllConnections()
  await promise
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
