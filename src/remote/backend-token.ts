/** Access tokens by SMART Backend Services: the service signs an assertion with its own key and gets a short token for it. */
import { type JsonWebKey, type KeyObject, createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FhirServer } from '../config/config-schema.ts'
import { FetchFailed, type RemoteCall, type RemoteServer } from './remote-server.ts'

type Backend = NonNullable<FhirServer['backend']>

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION_LIFE = '4 minutes'
/** A token is not used in its last seconds: the call itself takes time. */
const MARGIN_S = 30
const TIME_MS = 5_000
const MOST_BYTES = 1024 * 1024
const TYPES = ['Patient', 'Encounter', 'Condition', 'Observation', 'Procedure', 'QuestionnaireResponse']
const DEFAULT_SCOPE = TYPES.map((type) => `system/${type}.rs`).join(' ')
export class BackendToken {
  /** The public part of the key, as the operators of the servers register it. */
  readonly publicKey: JsonWebKey & { readonly kid: string; readonly alg: string }
  private readonly server: RemoteServer
  private readonly backend: Backend
  private readonly key: KeyObject
  private token: Promise<string> | undefined
  private current = ''
  private until = 0

  /** Throws for a file that is not a private key with an id. */
  constructor(server: RemoteServer, backend: Backend) {
    this.server = server
    this.backend = backend
    const jwk = JSON.parse(readFileSync(backend.key, 'utf8')) as JsonWebKey & { readonly kid?: string }
    this.key = createPrivateKey({ key: jwk, format: 'jwk' })
    const { kid } = jwk
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = this.key
    const alg = type === 'rsa' ? 'RS384' : details?.namedCurve === 'secp384r1' ? 'ES384' : undefined
    if (typeof kid !== 'string' || alg === undefined) throw new Error('needs a kid, and RSA or P-384')
    this.publicKey = { ...createPublicKey(this.key).export({ format: 'jwk' }), kid, alg, use: 'sig' }
  }

  /** The token in use, or a new one. Callers at the same time share one request for it. */
  get(): Promise<string> {
    if (this.token !== undefined && Date.now() < this.until) return this.token
    this.until = Infinity
    this.current = ''
    this.token = this.ask().catch((error: unknown) => {
      this.token = undefined
      throw error
    })
    return this.token
  }

  /** Gives up a token that the server has refused, unless there is a new one already. */
  forget(refused: string | undefined): void {
    if (refused === this.current) this.token = undefined
  }

  private async ask(): Promise<string> {
    const call = { signal: AbortSignal.timeout(TIME_MS), budget: { bytes: MOST_BYTES } }
    const { SignJWT } = await import('jose')
    const { kid, alg } = this.publicKey
    const { clientId, scope = DEFAULT_SCOPE } = this.backend
    const url = await this.tokenUrl(call)
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg, kid, typ: 'JWT' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(url.href)
      .setExpirationTime(ASSERTION_LIFE)
      .setJti(randomUUID())
      .sign(this.key)
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    })
    const given = jsonOf(await this.server.call(url, { ...call, form }))
    const { access_token: token, token_type: type, expires_in: seconds, scope: granted } = given
    if (typeof token !== 'string' || !/^bearer$/i.test(String(type)) || typeof seconds !== 'number')
      throw new FetchFailed('The FHIR server gave no access token.')
    const lacking = scope.split(' ').find((each) => !isGranted(each, String(granted)))
    if (lacking !== undefined) throw new FetchFailed(`The FHIR server did not grant the scope ${lacking}.`)
    this.until = Date.now() + (seconds - MARGIN_S) * 1_000
    this.current = token
    return token
  }

  /** From the configuration, or from the server itself if the address lies on the same origin. */
  private async tokenUrl(call: RemoteCall): Promise<URL> {
    const { tokenUrl } = this.backend
    if (tokenUrl !== undefined) return new URL(tokenUrl)
    const { base } = this.server
    const described = jsonOf(await this.server.call(new URL('.well-known/smart-configuration', base), call))
    const url = URL.parse(String(described['token_endpoint']), base.href)
    if (url?.origin !== base.origin)
      throw new FetchFailed('The FHIR server names a token endpoint elsewhere. Set backend.tokenUrl.')
    return url
  }
}

/** Servers write the same permission in the form of SMART 1 (`read`) or 2 (`rs`). */
function isGranted(wanted: string, granted: string): boolean {
  const [context, type] = wanted.split(/[/.]/)
  return granted.split(' ').some((each) => {
    const [givenContext, givenType, may = ''] = each.split(/[/.]/)
    const isReading = may === 'read' || may === '*' || /^c?ru?d?s/.test(may)
    return givenContext === context && (givenType === type || givenType === '*') && isReading
  })
}

function jsonOf(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(bytes.toString())) as Record<string, unknown>
  } catch {
    throw new FetchFailed('The FHIR server sent something that is not JSON.')
  }
}
