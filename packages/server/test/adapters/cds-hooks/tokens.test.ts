/** Signed tokens of calling systems over HTTP: what they stand for, and which are refused. */
import assert from 'node:assert/strict'
import { KeyObject, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type CryptoKey, SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { Answer } from '../../../../../test/support/exchange.ts'
import type { Resource } from '../fhir/source.ts'
import { ORIGIN, serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { request } from './requests.ts'

type Served = Awaited<ReturnType<typeof serveAdapters>>
const ISSUER = 'https://ehr.example.org'
const folder = mkdtempSync(join(tmpdir(), 'cds-'))
let served: Served
let signer: CryptoKey
before(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES384', { extractable: true })
  signer = privateKey
  const jwks = join(folder, 'jwks.json')
  writeFileSync(
    jwks,
    JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES384' }] }),
  )
  const issuer = { issuer: ISSUER, key: 'REPLACED', jwks }
  served = await serveAdapters({ issuers: [issuer] })
  // The settings name a key that exists only now.
  issuer.key = served.key.split('_')[1] ?? ''
})
after(async () => {
  await served.close()
  rmSync(folder, { recursive: true })
})

/** A request that any valid caller gets an answer to. */
const call = (text: string): Promise<Answer> =>
  served.send({
    path: '/cds-services/readmission',
    json: request({}),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${text}` },
  })

const NOW_S = Date.parse('2026-03-15T12:00:00Z') / 1000
interface Token {
  readonly header?: Resource
  readonly claims?: Resource
  readonly key?: CryptoKey
}
let serial = 0
const token = ({ header = {}, claims = {}, key = signer }: Token = {}): Promise<string> =>
  new SignJWT({
    iss: ISSUER,
    aud: `${ORIGIN}/cds-services/readmission`,
    iat: NOW_S,
    exp: NOW_S + 300,
    jti: `t${serial++}`,
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES384', kid: 'k1', typ: 'JWT', ...header })
    .sign(key)

test('a signed token acts as the key that its issuer was given', async () => {
  const used = await token()
  assert.equal((await call(used)).status, 200)
  assert.equal((await call(used)).status, 401, 'a token may be used once')
  const rows = (await served.store.readAudit({ most: 1000 })).map(
    ({ content }) => JSON.parse(content) as Resource,
  )
  const last = rows.filter(({ call: name }) => name === 'cds hook').at(-2)
  assert.equal(last?.['keyId'], served.key.split('_')[1])
})

const TOKENS: readonly (readonly [string, Token | (() => Promise<Token>)])[] = [
  ['of another issuer', { claims: { iss: 'https://other.example.org' } }],
  ['for another address', { claims: { aud: `${ORIGIN}/cds-services/hospital` } }],
  ['that has expired', { claims: { exp: NOW_S - 60 } }],
  ['that is too old', { claims: { iat: NOW_S - 600 } }],
  ['without an id', { claims: { jti: undefined } }],
  ['without an end', { claims: { exp: undefined } }],
  ['without a key id', { header: { kid: undefined } }],
  ['of another type', { header: { typ: 'at+jwt' } }],
  ['signed by somebody else', async () => ({ key: (await generateKeyPair('ES384')).privateKey })],
]
for (const [name, given] of TOKENS) {
  test(`401: a token ${name}`, async () => {
    const made = await token(typeof given === 'function' ? await given() : given)
    const answer = await call(made)
    assert.equal(answer.status, 401)
    assert.ok(!answer.text.includes(made.slice(0, 20)))
  })
}

/** A token of these texts: the library would write names without escapes. */
function tokenOf(header: string, claims: string): string {
  const parts = [header, claims].map((each) => Buffer.from(each).toString('base64url')).join('.')
  const key = KeyObject.from(signer)
  const signature = sign('sha384', Buffer.from(parts), { key, dsaEncoding: 'ieee-p1363' })
  return `${parts}.${signature.toString('base64url')}`
}

/** What is written with an escape · in which part, what and how · the status. */
const SPELLINGS: readonly (readonly [string, 'header' | 'claims', string, string, number])[] = [
  ['nothing', 'claims', '"iss"', '"iss"', 200],
  ['a value of the claims', 'claims', '"https:', String.raw`"\u0068ttps:`, 200],
  ['a name of the claims', 'claims', '"iss"', String.raw`"\u0069ss"`, 401],
  ['a value of the header', 'header', '"k1"', String.raw`"\u006b1"`, 200],
  ['a name of the header', 'header', '"kid"', String.raw`"\u006bid"`, 401],
]
for (const [name, part, text, spelled, status] of SPELLINGS) {
  test(`${status}: a token with an escape in ${name}`, async () => {
    const texts = (await token()).split('.').map((each) => Buffer.from(each, 'base64url').toString())
    const [header = '', claims = ''] = texts
    const made =
      part === 'header'
        ? tokenOf(header.replace(text, spelled), claims)
        : tokenOf(header, claims.replace(text, spelled))
    assert.equal((await call(made)).status, status)
  })
}

test('401: a token without a signature, or with a shared secret', async () => {
  const [head = '', claims = ''] = (await token()).split('.')
  const none = Buffer.from('{"alg":"none","typ":"JWT","kid":"k1"}').toString('base64url')
  for (const text of [`${none}.${claims}.`, `${head}.${claims}.`, 'a.b.c'])
    assert.equal((await call(text)).status, 401)
})

test('429: too many forged tokens; a good one from the same address is answered', async (t) => {
  const { privateKey } = await generateKeyPair('ES384')
  const forged = await Promise.all(Array.from({ length: 70 }, () => token({ key: privateKey })))
  const answers: Answer[] = []
  for (const each of forged) answers.push(await call(each))
  const { status, headers, text } = answers.at(-1) as Answer
  t.diagnostic(`${answers.filter((each) => each.status === 401).length} times 401`)
  assert.deepEqual([status, text.includes('"code":"TOO_MANY_ATTEMPTS"')], [429, true])
  assert.ok(Number(headers['retry-after']) > 0)
  assert.equal((await call(await token())).status, 200, 'a good token')
  assert.equal((await call(served.key)).status, 200, 'a good key')
})

test('a token of an issuer whose key is revoked is refused', async () => {
  await served.store.revokeKey(served.key.split('_')[1] ?? '', Date.now())
  assert.equal((await call(await token())).status, 429, 'it counts as a failure like a wrong key')
})
