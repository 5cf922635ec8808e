/** The harness itself: what the guarded server accepts, refuses and breaks, seen by a small client. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type JWK, createLocalJWKSet } from 'jose'
import { FRAIL, LONG, MANY, PLAIN, SICK } from './cases.ts'
import { type Assertion, askToken, formOf, getFhir, searchPages, signAssertion, tokenOf } from './client.ts'
import { forbidden, hapi, selfKeys, selfServer, servers } from './harness.ts'
import { FAULTS, type Fault } from './misbehave.ts'
import { CLIENT_ID } from './service.ts'

const server = selfServer
const { rsa, elliptic, other } = selfKeys
before(() => {
  const keys = [rsa, elliptic].map(({ kty, kid, alg, n, e, crv, x, y }) => {
    return Object.fromEntries(Object.entries({ kty, kid, alg, n, e, crv, x, y }).filter(([, value]) => value))
  })
  server.client = { id: CLIENT_ID, keys: createLocalJWKSet({ keys: keys }) }
})
const ids = (pages: Awaited<ReturnType<typeof searchPages>>): readonly string[] =>
  pages.flatMap(({ entry = [] }) => entry.map(({ resource }) => String(resource['id'])))
const inS = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

for (const [name, key] of Object.entries({ RS384: rsa, ES384: elliptic })) {
  test(`self: a token by ${name}, and all pages of a search`, async () => {
    const token = await tokenOf(server, key)
    const search = `${server.url}/Encounter?patient=${MANY.id}&_sort=-date&_count=200`
    const pages = await searchPages(search, token)
    const expected = MANY.resources.slice(1).map(({ id }) => String(id))
    assert.equal(pages.length, Math.ceil(expected.length / hapi.pageSize))
    assert.deepEqual(ids(pages), expected, 'newest first')
    const links = pages.flatMap(({ link = [] }) => link.map(({ url }) => url))
    assert.ok(links.every((url) => url.startsWith(server.url)))
  })
}

test('self: a dated search finds what overlaps, and a read gives the Patient', async () => {
  const token = await tokenOf(server, rsa)
  const [stay, within, visit] = LONG.resources.slice(1).map(({ id }) => String(id))
  const since = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  const search = (days: number): string => `${server.url}/Encounter?patient=${LONG.id}&date=ge${since(days)}`
  assert.deepEqual(ids(await searchPages(search(30), token)), [stay])
  assert.deepEqual(ids(await searchPages(`${search(423)}&_sort=-date`, token)), [stay, visit, within])
  const answer = await getFhir(`${server.url}/Patient/${LONG.id}`, token)
  assert.equal(((await answer.json()) as { id: string }).id, LONG.id)
  assert.equal((await getFhir(`${server.url}/Patient/nobody`, token)).status, 404)
})

test('self: searches by code and status', async () => {
  const token = await tokenOf(server, rsa)
  const code = 'http://loinc.org|718-7,http://loinc.org|2951-2'
  const of = `patient=${SICK.id}&_count=200`
  const measured = await searchPages(`${server.url}/Observation?${of}&code=${code}&_sort=-date`, token)
  assert.equal(ids(measured).length, 17)
  assert.equal(ids(await searchPages(`${server.url}/Condition?${of}`, token)).length, 18)
  assert.equal(ids(await searchPages(`${server.url}/Procedure?${of}&_sort=-date`, token)).length, 1)
  const responses = `${server.url}/QuestionnaireResponse?patient=${FRAIL.id}&status=completed,amended`
  assert.deepEqual(ids(await searchPages(responses, token)), ['frail-barthel'])
})

const ASSERTIONS: readonly (readonly [string, RegExp, Assertion, JWK?])[] = [
  ['an audience that is not the token URL', /"aud"/, { claims: { aud: server.url } }],
  ['an issuer that is not the client', /"iss"/, { claims: { iss: 'other' } }],
  ['a subject that is not the client', /"sub"/, { claims: { sub: 'other' } }],
  ['an expiry in ten minutes', /5 minutes/, { claims: { exp: inS(600) } }],
  ['an expiry in the past', /"exp"/, { claims: { exp: inS(-10) } }],
  ['no jti', /"jti"/, { claims: { jti: undefined } as never }],
  ['no kid', /kid is missing/, { header: { kid: undefined } }],
  ['an unknown kid', /no applicable key/, {}, other],
  ['the key of another client', /signature verification/, { header: { kid: elliptic.kid } }, other],
  ['another type', /"typ"/, { header: { typ: 'at+jwt' } }],
  ['RS256', /"alg"/, { header: { alg: 'RS256' } }, { ...rsa, alg: 'RS256' }],
]
for (const [name, reason, assertion, key = rsa] of ASSERTIONS) {
  test(`self: an assertion with ${name} is refused`, async () => {
    const form = formOf(await signAssertion(key, server.tokenUrl, assertion))
    const answer = await askToken(server.tokenUrl, form)
    assert.deepEqual([answer.status, await answer.json()], [401, { error: 'invalid_client' }])
    assert.match(server.refusals.at(-1) ?? '', reason)
  })
}

const FORMS = [
  ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ['another assertion type', { client_assertion_type: 'x' }, 'invalid_request'],
  ['no scope', { scope: '' }, 'invalid_scope'],
  ['a scope of users', { scope: 'user/Patient.rs' }, 'invalid_scope'],
] as const
for (const [name, more, error] of FORMS) {
  test(`self: a token request with ${name} is refused`, async () => {
    const answer = await askToken(server.tokenUrl, formOf(await signAssertion(rsa, server.tokenUrl), more))
    assert.deepEqual([answer.status, await answer.json()], [400, { error }])
  })
}

test('self: an assertion is accepted once', async () => {
  const form = formOf(await signAssertion(elliptic, server.tokenUrl))
  const statuses = [await askToken(server.tokenUrl, form), await askToken(server.tokenUrl, form)]
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [200, 401],
  )
})

test('self: FHIR requests need a valid token with the scope', async () => {
  const url = `${server.url}/Encounter?patient=${PLAIN.id}`
  const { grants } = server
  const statusWith = async (token: string): Promise<number> => (await getFhir(url, token)).status
  const system = ['system/Encounter.rs']
  assert.equal(await statusWith('unknown'), 401)
  assert.equal(await statusWith(grants.issue(system, -1).token), 401)
  assert.equal(await statusWith(grants.issue(['system/Encounter.r'], 60).token), 403)
  assert.equal(await statusWith(grants.issue(['system/Patient.rs'], 60).token), 403)
  assert.equal(await statusWith(grants.issue(['patient/*.rs'], 60, MANY.id).token), 403)
  assert.equal(await statusWith(grants.issue(['patient/*.read'], 60, PLAIN.id).token), 200)
  const { token } = grants.issue(system, 60)
  assert.equal(await statusWith(token), 200)
  grants.revokeAll()
  assert.equal(await statusWith(token), 401)
})

/** What a client sees of each fault: a status, the end of its patience, a cut body or a link. */
const SYMPTOMS: Readonly<Record<Fault, RegExp>> = {
  redirect: /^302/,
  hang: /^no answer/,
  drip: /^200 no end/,
  'status-500': /^500/,
  'status-429': /^429/,
  html: /^502 <html>/,
  'html-with-200': /^200 <html>/,
  'broken-json': /^200 .*\[$/,
  endless: /^200 (no end|too much)/,
  'gzip-bomb': /^200 (no end|too much)/,
  deep: /^200 [^[]{0,60}\[{1000}/,
  'cut-off': /^200 cut/,
  'not-found': /^404/,
  unauthorized: /^401/,
  'other-resource': /^200 .*Practitioner/,
  'other-patient': /^200 .*"Patient\/someone-else-plain"/,
  'operation-outcome': /^200 .*OperationOutcome/,
  'next-elsewhere': new RegExp(`^200 .*"relation":"next","url":"${forbidden.origin}/fhir/Encounter`),
  'next-outside-base': /^200 .*"relation":"next","url":"[^"]*\/private\?/,
  'next-loop': /^200 .*"relation":"next","url":"[^"]*\/fhir\/Encounter\?/,
  'next-endless': /^200 .*"relation":"next","url":"[^"]*&page=2"/,
}
for (const kind of FAULTS) {
  test(`self: told to misbehave, ${kind}; other requests are answered`, async () => {
    const { token } = server.grants.issue(['system/*.rs'], 60)
    server.fault = { kind, only: /patient=fetched-plain/ }
    assert.match(await symptomOf(`${server.url}/Encounter?patient=${PLAIN.id}`, token), SYMPTOMS[kind])
    assert.match(await symptomOf(`${server.url}/Encounter?patient=${LONG.id}`, token), /^200 .*searchset/)
    server.reset()
  })
}

const MOST_BYTES = 8 * 1024 * 1024

async function symptomOf(url: string, token: string): Promise<string> {
  const signal = AbortSignal.timeout(2000)
  const init = { headers: { authorization: `Bearer ${token}` }, redirect: 'manual', signal } as const
  const answer = await fetch(url, init).catch(() => undefined)
  if (answer === undefined) return 'no answer'
  let text = ''
  try {
    for await (const part of answer.body ?? []) {
      text += Buffer.from(part as Uint8Array).toString('utf8')
      if (text.length > MOST_BYTES) return `${answer.status} too much`
    }
  } catch {
    return `${answer.status} ${signal.aborted ? 'no end' : 'cut'}`
  }
  return `${answer.status} ${text}`
}

test('self: nothing has followed a redirect or a link to another origin', () => {
  assert.deepEqual(forbidden.calls, [])
  assert.deepEqual(servers.stranger.seen, [])
})
