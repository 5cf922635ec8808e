/** A FHIR server for tests: searches with pages over given resources, tokens by signed assertions, and ways to misbehave. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWK, createLocalJWKSet, jwtVerify } from 'jose'
import type { Resource } from '../source.ts'

/** Answers a request itself, and says so; otherwise the server answers as it should. */
type Misbehave = (url: URL, response: ServerResponse) => boolean

export interface FhirServer {
  readonly base: string
  /** The addresses that were called, with the token of each. */
  readonly calls: { readonly url: string; readonly token: string | undefined }[]
  /** The tokens that are valid now, and how many were given. */
  readonly tokens: Set<string>
  issued: number
  /** How many seconds a token that is given now is valid for. */
  seconds: number
  scope: string | readonly string[] | undefined
  publicKey: JWK | undefined
  misbehave: Misbehave
  close(): Promise<void>
}

/** `page` is the number of entries of a page. Without `needsToken` every caller may read. */
export async function serveFhir(
  resources: readonly Resource[],
  { page = 2, needsToken = true }: { readonly page?: number; readonly needsToken?: boolean } = {},
): Promise<FhirServer> {
  const seenJtis = new Set<string>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', server.base)
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1]
    server.calls.push({ url: url.href, token })
    if (server.misbehave(url, response)) return
    const send = (status: number, body: Resource): void => {
      response.writeHead(status, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(body))
    }
    if (url.pathname.endsWith('/.well-known/smart-configuration'))
      send(200, { token_endpoint: `${server.base}/token` })
    else if (url.pathname.endsWith('/token')) send(...(await giveToken(await bodyOf(request))))
    else if (needsToken && !server.tokens.has(token ?? '')) send(401, { resourceType: 'OperationOutcome' })
    else send(...read(url))
  }
  const read = (url: URL): [number, Resource] => {
    const [, type = '', id] = /\/fhir\/([A-Za-z]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? []
    if (id !== undefined) {
      const found = resources.find((each) => each['resourceType'] === type && each['id'] === id)
      return [found === undefined ? 404 : 200, found ?? { resourceType: 'OperationOutcome' }]
    }
    const patient = `Patient/${url.searchParams.get('patient') ?? ''}`
    const from = url.searchParams.get('date')?.replace('ge', '') ?? ''
    const matches = resources.filter((each) => {
      const { end = '9' } = (each['period'] ?? {}) as { end?: string }
      const subject = (each['subject'] as { reference?: string } | undefined)?.reference
      return each['resourceType'] === type && subject === patient && end >= from
    })
    const start = Number(url.searchParams.get('_page') ?? 0)
    const rest = new URL(url)
    rest.searchParams.set('_page', String(start + page))
    const link = start + page < matches.length ? [{ relation: 'next', url: rest.href }] : []
    const entry = matches.slice(start, start + page).map((resource) => {
      return {
        fullUrl: `${server.base}/${type}/${String(resource['id'])}`,
        resource,
        search: { mode: 'match' },
      }
    })
    return [200, { resourceType: 'Bundle', type: 'searchset', total: matches.length, link, entry }]
  }
  const giveToken = async (form: URLSearchParams): Promise<[number, Resource]> => {
    try {
      const keys = createLocalJWKSet({ keys: server.publicKey === undefined ? [] : [server.publicKey] })
      const { payload } = await jwtVerify(form.get('client_assertion') ?? '', keys, {
        audience: `${server.base}/token`,
        issuer: 'patient-risk',
        subject: 'patient-risk',
        typ: 'JWT',
        algorithms: ['ES384', 'RS384'],
        requiredClaims: ['exp', 'jti'],
      })
      const isShort = (payload.exp ?? Infinity) - Date.now() / 1000 <= 300
      if (!isShort || seenJtis.has(payload.jti ?? '')) throw new Error('assertion')
      seenJtis.add(payload.jti ?? '')
      if (form.get('grant_type') !== 'client_credentials') throw new Error('grant')
    } catch {
      return [400, { error: 'invalid_client' }]
    }
    const token = `secret-token-${++server.issued}`
    server.tokens.add(token)
    const scope = server.scope ?? form.get('scope')
    return [200, { access_token: token, token_type: 'bearer', expires_in: server.seconds, scope }]
  }
  const listening: Server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const { port } = listening.address() as AddressInfo
  const server: FhirServer = {
    base: `http://127.0.0.1:${port}/fhir`,
    calls: [],
    tokens: new Set(),
    issued: 0,
    seconds: 300,
    scope: undefined,
    publicKey: undefined,
    misbehave: () => false,
    close: async () => {
      listening.closeAllConnections()
      await new Promise((resolve) => listening.close(resolve))
    },
  }
  return server
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
