/**
 * The token endpoint of SMART Backend Services, as strict as the specification: it verifies the client assertion with the client's own
 * key set and refuses an assertion that it has seen. Tokens are opaque and short-lived.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type JWTVerifyGetKey, createRemoteJWKSet, decodeProtectedHeader, errors, jwtVerify } from 'jose'

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ALGORITHMS = ['RS384', 'ES384']
const LONGEST_S = 300

export interface Client {
  readonly id: string
  /** Finds its public key by the kid of an assertion. */
  readonly keys: JWTVerifyGetKey
}

/** A client whose keys are fetched from the URL that it has registered. */
export const clientAt = (id: string, jwksUrl: string): Client => ({
  id,
  keys: createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: 0 }),
})

export interface Grant {
  readonly token: string
  readonly scopes: readonly string[]
  /** The patient whose data the token gives; undefined for all patients. */
  readonly patient: string | undefined
  readonly expiresAtMs: number
}

/** A refusal with an error code of RFC 6749. */
export class TokenRefusal extends Error {
  readonly code: string
  constructor(code: string, why: string) {
    super(why)
    this.code = code
  }
}

/** Verifies a token request. Returns the scopes that it asks for; throws a TokenRefusal. */
export class AssertionVerifier {
  private readonly seen = new Set<string>()
  private readonly tokenUrl: string
  private readonly findClient: () => Client | undefined

  constructor(tokenUrl: string, findClient: () => Client | undefined) {
    this.tokenUrl = tokenUrl
    this.findClient = findClient
  }

  async verify(request: IncomingMessage, body: string): Promise<readonly string[]> {
    const [type] = (request.headers['content-type'] ?? '').split(';')
    if (request.method !== 'POST' || type !== 'application/x-www-form-urlencoded')
      throw new TokenRefusal('invalid_request', 'not a POST of a form')
    const form = new URLSearchParams(body)
    if ([...form.keys()].length !== new Set(form.keys()).size)
      throw new TokenRefusal('invalid_request', 'a parameter occurs twice')
    if (form.get('grant_type') !== 'client_credentials')
      throw new TokenRefusal('unsupported_grant_type', 'grant_type is not client_credentials')
    if (form.get('client_assertion_type') !== ASSERTION_TYPE)
      throw new TokenRefusal('invalid_request', 'client_assertion_type is not jwt-bearer')
    const scopes = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
    if (scopes.length === 0) throw new TokenRefusal('invalid_scope', 'scope is missing')
    if (!scopes.every((scope) => scope.startsWith('system/')))
      throw new TokenRefusal('invalid_scope', 'a scope is not a system scope')
    await this.verifyAssertion(form.get('client_assertion') ?? '')
    return scopes
  }

  private async verifyAssertion(assertion: string): Promise<void> {
    const client = this.findClient()
    if (client === undefined) throw new TokenRefusal('invalid_client', 'no client is registered')
    try {
      if (decodeProtectedHeader(assertion).kid === undefined) throw new Error('kid is missing')
      const { payload } = await jwtVerify(assertion, client.keys, {
        algorithms: ALGORITHMS,
        typ: 'JWT',
        issuer: client.id,
        subject: client.id,
        audience: this.tokenUrl,
        requiredClaims: ['exp', 'jti'],
      })
      const { exp = Infinity, jti = '' } = payload
      if (exp - Date.now() / 1000 > LONGEST_S) throw new Error('exp is more than 5 minutes ahead')
      if (typeof jti !== 'string' || jti === '') throw new Error('jti is empty')
      if (this.seen.has(jti)) throw new Error('jti was used before')
      this.seen.add(jti)
    } catch (error) {
      const known = error instanceof errors.JOSEError ? `${error.code}: ${error.message}` : String(error)
      throw new TokenRefusal('invalid_client', known)
    }
  }
}

/** The tokens that were issued. */
export class Grants {
  private readonly byToken = new Map<string, Grant>()

  /** Every token so far, revoked and expired ones too. */
  readonly issued: string[] = []

  issue(scopes: readonly string[], expiresInS: number, patient?: string): Grant {
    const token = randomBytes(24).toString('base64url')
    const grant = { token, scopes, patient, expiresAtMs: Date.now() + expiresInS * 1000 }
    this.byToken.set(token, grant)
    this.issued.push(token)
    return grant
  }

  revokeAll(): void {
    this.byToken.clear()
  }

  find(authorization = ''): Grant | undefined {
    const grant = this.byToken.get(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '')
    return grant !== undefined && grant.expiresAtMs > Date.now() ? grant : undefined
  }
}

/** Whether the scopes give the read (r) or search (s) of a type, in the form of SMART 2 or 1. */
export function isGranted(scopes: readonly string[], type: string, right: 'r' | 's'): boolean {
  return scopes.some((scope) => {
    const [, scoped, rights = ''] = /^(?:system|patient|user)\/([A-Za-z]+|\*)\.([a-z*]+)$/.exec(scope) ?? []
    if (scoped !== type && scoped !== '*') return false
    return rights === 'read' || rights === '*' || (/^c?r?u?d?s?$/.test(rights) && rights.includes(right))
  })
}
