/** Signed tokens of calling systems, verified by jose. An issuer acts as the API key that the operator gave it. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import type { TrustedIssuer } from '@patient-risk/catalog/config'
import { hasEscapedKey, parseJson } from 'patient-risk-engine/read'
import { AppError } from '@patient-risk/runtime'
import type { Store } from '../../store/store.ts'

/** Asymmetric only: a shared secret would let this service sign in the name of its callers. */
const ALGORITHMS = ['ES384', 'RS384', 'ES256', 'RS256', 'PS256', 'PS384', 'EdDSA']
const LONGEST_LIFE_S = 300
const CLOCK_TOLERANCE_S = 30
/** After this time a token has expired anyway. */
const REMEMBERED_MS = (LONGEST_LIFE_S + 2 * CLOCK_TOLERANCE_S) * 1_000
const FETCH_MS = 2_000

/** Gives the id of the API key that the issuer of a token acts as. Throws for a token that cannot be trusted. */
type TokenVerifier = (token: string, audience: readonly string[], nowMs: number) => Promise<string>

export function tokenVerifier(
  issuers: readonly TrustedIssuer[],
  store: Pick<Store, 'takeQuota'>,
): TokenVerifier {
  const keys = new Map<TrustedIssuer, Promise<JWTVerifyGetKey>>()
  return async (token, audience, nowMs) => {
    const { base64url, decodeJwt, decodeProtectedHeader, jwtVerify } = await import('jose')
    try {
      // The library parses both parts itself, and V8 may misread a name with an escape. No issuer has a reason to write one.
      if (token.split('.', 2).some((part) => hasEscapedKey(Buffer.from(base64url.decode(part)).toString())))
        throw new Error('a name with an escape')
      const { typ, kid } = decodeProtectedHeader(token)
      const { iss } = decodeJwt(token)
      const issuer = issuers.findLast((each) => each.issuer === iss)
      if (issuer === undefined || kid === undefined || typ !== 'JWT') throw new Error('not trusted')
      const known = keys.get(issuer) ?? keysOf(issuer)
      keys.set(issuer, known)
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
      const counter = `token ${hash('sha256', `${issuer.issuer} ${payload.jti ?? ''}`, 'base64')}`
      // All processes that share the store count together.
      const { granted } = await store.takeQuota(counter, 1, 1, REMEMBERED_MS).catch(() => {
        throw new AppError('STORE_UNAVAILABLE')
      })
      if (granted === 0) throw new Error('used before')
      return issuer.key
    } catch (error) {
      if (error instanceof AppError) throw error
      // The message of the library may quote the token.
      throw new AppError(
        'KEY_INVALID',
        'The token is not one of a trusted system for this address, is too old, or was used before.',
      )
    }
  }
}

async function keysOf({ jwks, jwksUrl }: TrustedIssuer): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet, createRemoteJWKSet, customFetch, errors } = await import('jose')
  if (jwksUrl === undefined)
    return createLocalJWKSet(parseJson(readFileSync(jwks ?? '', 'utf8')) as JSONWebKeySet)
  // Never from an address in the token itself, which anyone may write there.
  const remote = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: FETCH_MS, [customFetch]: fetchJson })
  return async (header, token) => {
    try {
      return await remote(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error
      // The token may be valid, so the caller should try again later.
      throw new AppError('STORE_UNAVAILABLE', 'The public keys of the calling system cannot be fetched.')
    }
  }
}

/** As the library fetches a set of keys, but with the answer read by `parseJson`. */
async function fetchJson(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  const json = async (): Promise<unknown> => parseJson(await response.text())
  return Object.assign(response, { json })
}
