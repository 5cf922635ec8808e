/** Access tokens by SMART Backend Services: the service signs an assertion with its own key and gets a short token for it. */
import { type JsonWebKey, type KeyObject, createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FhirServer } from '@patient-risk/catalog/config'
import { parseJson } from 'patient-risk-engine/read'
import { OwnTime } from './own-time.ts'
import { FetchFailed, type RemoteCall, type RemoteServer, upTo, waitAsAsked } from './remote-server.ts'

type Backend = NonNullable<FhirServer['backend']>

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION_LIFE = '4 minutes'
/** A token is not used in its last seconds: the call itself takes time. */
const MARGIN_S = 30
const TIME_MS = 5_000
/** With the waits that the server asks for. */
const WHOLE_TIME_MS = 30_000
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
    try {
      const { kid, ...jwk } = parseJson(readFileSync(backend.key, 'utf8')) as JsonWebKey & { kid?: unknown }
      this.key = createPrivateKey({ key: jwk, format: 'jwk' })
      const alg = algorithmOf(this.key)
      if (typeof kid !== 'string' || alg === undefined) throw new Error('another kind of key')
      this.publicKey = { ...createPublicKey(this.key).export({ format: 'jwk' }), kid, alg, use: 'sig' }
    } catch {
      // The text of the error may quote the key.
      const what = 'a private key as a JWK with a kid, RSA of at least 2,048 bits or P-384'
      throw new Error(`${backend.key} cannot be read, or is not ${what}.`)
    }
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
    const time = new OwnTime(TIME_MS)
    try {
      return await this.askWithin(time)
    } finally {
      time.end()
    }
  }

  private async askWithin(time: OwnTime): Promise<string> {
    const call: RemoteCall = {
      signal: AbortSignal.any([time.signal, AbortSignal.timeout(WHOLE_TIME_MS)]),
      endsAt: Date.now() + WHOLE_TIME_MS,
      onWait: (ms) => time.addWait(ms),
      take: upTo(MOST_BYTES),
    }
    const { scope = DEFAULT_SCOPE } = this.backend
    const given = await this.askAt(await this.tokenUrl(call), scope, call)
    const { access_token: token, token_type: type, scope: granted } = given
    const seconds = secondsIn(given['expires_in'])
    if (!isToken(token) || !/^bearer$/i.test(textOf(type)) || seconds === undefined)
      throw new FetchFailed('The FHIR server gave no access token.')
    const lacking = scope.split(' ').find((each) => !isGranted(each, [granted].flat().map(textOf).join(' ')))
    if (lacking !== undefined) throw new FetchFailed(`The FHIR server did not grant the scope ${lacking}.`)
    this.until = Date.now() + (seconds - MARGIN_S) * 1_000
    this.current = token
    return token
  }

  /** Asks until the server answers. Each time is a new assertion, because the server may have seen the last one. */
  private async askAt(url: URL, scope: string, call: RemoteCall): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const form = await this.formFor(url, scope)
      try {
        return jsonOf(await this.server.call(url, { ...call, form }))
      } catch (error) {
        await waitAsAsked(error, call)
      }
    }
  }

  private async formFor(url: URL, scope: string): Promise<URLSearchParams> {
    const { SignJWT } = await import('jose')
    const { kid, alg } = this.publicKey
    const { clientId } = this.backend
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg, kid, typ: 'JWT' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(url.href)
      .setExpirationTime(ASSERTION_LIFE)
      .setJti(randomUUID())
      .sign(this.key)
    return new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    })
  }

  /** From the configuration, or from the server itself if the address lies on the same origin. */
  private async tokenUrl(call: RemoteCall): Promise<URL> {
    const { tokenUrl } = this.backend
    if (tokenUrl !== undefined) return new URL(tokenUrl)
    const { base } = this.server
    const described = jsonOf(await this.server.call(new URL('.well-known/smart-configuration', base), call))
    const endpoint = textOf(described['token_endpoint'])
    const url = endpoint === '' ? null : URL.parse(endpoint, base.href)
    if (url?.origin !== base.origin)
      throw new FetchFailed(
        'The FHIR server names no token endpoint on its own origin. Set backend.tokenUrl.',
      )
    return url
  }
}

export interface Access {
  /** The token of the call; undefined for a server that needs none. */
  readonly token: () => Promise<string | undefined>
  /** Another one after a refusal, once in a call. */
  readonly renew: (refused: string | undefined) => void
}

/** Asks for a token once, and once more after a refusal: a server may lock a client that tries often. */
export function accessTo(token: BackendToken | undefined): Access {
  const ask = async (): Promise<string | undefined> => token?.get()
  const keep = (asked: Promise<string | undefined>): Promise<string | undefined> => {
    // Each patient that needs it sees the failure.
    asked.catch(() => undefined)
    return asked
  }
  let now = keep(ask())
  let isRenewed = false
  const renew: Access['renew'] = (refused) => {
    if (isRenewed) return
    isRenewed = true
    token?.forget(refused)
    now = keep(ask())
  }
  return { token: () => now, renew }
}

/** The algorithm that a key signs with; undefined for a key that SMART does not accept. */
function algorithmOf(key: KeyObject): 'RS384' | 'ES384' | undefined {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  if (modulusLength >= 2_048) return 'RS384'
  return namedCurve === 'secp384r1' ? 'ES384' : undefined
}

/** Whether a text can be sent as a token: a line break in it would end the header. */
export function isToken(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text)
}

/** Some servers write the number as a text. */
function secondsIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return /^\d{1,9}$/.test(textOf(value)) ? Number(value) : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Servers write the scopes as one text, or as a list. They write the same permission in the form of SMART 1 (`read`) or 2 (`rs`), and the
 * letters together or in scopes of their own (`r` and `s`). One with a condition (`rs?class=IMP`) gives a part of the data, so it is not
 * granted.
 */
function isGranted(wanted: string, granted: string): boolean {
  const [context, type] = wanted.split(/[/.]/)
  const letters = granted.split(/\s+/).flatMap((each) => {
    const [givenContext, givenType, may = ''] = each.split(/[/.]/)
    if (givenContext !== context || (givenType !== type && givenType !== '*')) return []
    if (may === 'read' || may === '*') return ['r', 's']
    return /^c?r?u?d?s?$/.test(may) ? may.split('') : []
  })
  return letters.includes('r') && letters.includes('s')
}

function jsonOf(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return Object(parseJson(bytes.toString())) as Record<string, unknown>
  } catch {
    throw new FetchFailed('The FHIR server sent something that is not JSON.')
  }
}
