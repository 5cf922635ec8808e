/** Signed tokens of calling systems, verified by jose. An issuer acts as the API key that the operator gave it. */
import { readFileSync } from 'node:fs'
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import type { TrustedIssuer } from '../../adapter-settings.ts'
import { AppError } from '../../errors.ts'

/** Asymmetric only: a shared secret would let this service sign in the name of its callers. */
const ALGORITHMS = ['ES384', 'RS384', 'ES256', 'RS256', 'PS256', 'PS384', 'EdDSA']
const LONGEST_LIFE_S = 300
const CLOCK_TOLERANCE_S = 30
const MOST_TOKENS = 100_000
const LONGEST_ID = 200
const FETCH_MS = 2_000

/** A JWT has two dots; an API key has none. */
export function isToken(text: string): boolean {
  return text.split('.').length === 3
}

export class Trust {
  private readonly issuers: ReadonlyMap<string, TrustedIssuer>
  private readonly keys = new Map<string, Promise<JWTVerifyGetKey>>()
  /** Tokens that were used, with the time in seconds after which nobody would accept them anyway. */
  private readonly used = new Map<string, number>()

  constructor(issuers: readonly TrustedIssuer[]) {
    this.issuers = new Map(issuers.map((issuer) => [issuer.issuer, issuer]))
  }

  /** The id of the API key that the token stands for. Throws for a token that cannot be trusted. */
  async keyIdOf(token: string, audience: readonly string[], nowMs: number): Promise<string> {
    const { decodeJwt, decodeProtectedHeader, jwtVerify } = await import('jose')
    try {
      const { typ, kid } = decodeProtectedHeader(token)
      const issuer = this.issuers.get(decodeJwt(token).iss ?? '')
      if (issuer === undefined || kid === undefined || typ !== 'JWT') throw new Error('not trusted')
      const known = this.keys.get(issuer.issuer) ?? keysOf(issuer)
      this.keys.set(issuer.issuer, known)
      const { payload } = await jwtVerify(token, await known, {
        issuer: issuer.issuer,
        audience: [...audience],
        algorithms: ALGORITHMS,
        typ: 'JWT',
        requiredClaims: ['exp', 'iat', 'jti'],
        maxTokenAge: LONGEST_LIFE_S,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(nowMs),
      })
      this.useOnce(`${issuer.issuer} ${payload.jti ?? ''}`, payload.exp ?? 0, Math.floor(nowMs / 1000))
      return issuer.key
    } catch (error) {
      if (error instanceof AppError) throw error
      // What the library says may quote the token.
      throw new AppError(
        'KEY_INVALID',
        'The token is not one of a trusted system for this address, is too old, or was used before.',
      )
    }
  }

  private useOnce(id: string, expires: number, now: number): void {
    if (id.length > LONGEST_ID || this.used.has(id)) throw new Error('used before')
    if (this.used.size >= MOST_TOKENS) {
      for (const [each, until] of this.used) if (until < now) this.used.delete(each)
      // Forgetting a token would let it be used again.
      if (this.used.size >= MOST_TOKENS) throw new AppError('OVERLOADED')
    }
    this.used.set(id, Math.min(expires, now + LONGEST_LIFE_S) + CLOCK_TOLERANCE_S)
  }
}

async function keysOf({ jwks, jwksUrl }: TrustedIssuer): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet, createRemoteJWKSet, errors } = await import('jose')
  if (jwksUrl === undefined)
    return createLocalJWKSet(JSON.parse(readFileSync(jwks ?? '', 'utf8')) as JSONWebKeySet)
  // Never from an address in the token itself, which anyone may write there.
  const remote = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: FETCH_MS })
  return async (header, token) => {
    try {
      return await remote(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error
      // The caller's token may be good, so the answer is to try again later.
      throw new AppError('STORE_UNAVAILABLE', 'The public keys of the calling system cannot be fetched.')
    }
  }
}
