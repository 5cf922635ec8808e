/** A client of SMART Backend Services, to test the guarded server without the service. */
import { randomUUID } from 'node:crypto'
import { type JWK, type JWTPayload, SignJWT, importJWK } from 'jose'
import type { Resource } from '../source.ts'
import type { GuardedServer } from './guarded-server.ts'
import { CLIENT_ID, SCOPE } from './service.ts'
import { ASSERTION_TYPE } from './token-endpoint.ts'

export interface Assertion {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: JWTPayload
}

/** A signed assertion, right unless a part of it is replaced. */
export async function signAssertion(
  key: JWK,
  audience: string,
  { header = {}, claims = {} }: Assertion = {},
): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 240
  const payload = { iss: CLIENT_ID, sub: CLIENT_ID, aud: audience, exp, jti: randomUUID(), ...claims }
  const protectedHeader = { alg: String(key.alg), kid: key.kid, typ: 'JWT', ...header }
  const signed = new SignJWT(payload).setProtectedHeader(protectedHeader as { alg: string })
  return signed.sign(await importJWK(key, protectedHeader.alg))
}

export const formOf = (assertion: string, more: Readonly<Record<string, string>> = {}): URLSearchParams =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    scope: SCOPE,
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: assertion,
    ...more,
  })

export const askToken = (tokenUrl: string, body: URLSearchParams): Promise<Response> =>
  fetch(tokenUrl, { method: 'POST', body })

export async function tokenOf(server: GuardedServer, key: JWK): Promise<string> {
  const answer = await askToken(server.tokenUrl, formOf(await signAssertion(key, server.tokenUrl)))
  return ((await answer.json()) as { access_token: string }).access_token
}

export interface Page {
  readonly resourceType: string
  readonly link?: readonly { readonly relation: string; readonly url: string }[]
  readonly entry?: readonly { readonly resource: Resource }[]
}

export const getFhir = (url: string, token: string): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' })

/** All pages of a search. */
export async function searchPages(url: string, token: string): Promise<readonly Page[]> {
  const pages: Page[] = []
  for (let next: string | undefined = url; next !== undefined;) {
    const answer = await getFhir(next, token)
    if (!answer.ok) throw new Error(`${next} gives ${answer.status}: ${await answer.text()}`)
    const page = (await answer.json()) as Page
    pages.push(page)
    next = page.link?.find(({ relation }) => relation === 'next')?.url
  }
  return pages
}
