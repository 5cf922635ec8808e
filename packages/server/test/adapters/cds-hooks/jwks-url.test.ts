/** Tokens whose public keys are fetched from an address: rotation, an address that is down, and whom a key is good for. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, mock, test } from 'node:test'
import { type CryptoKey, type JWK, SignJWT, exportJWK, generateKeyPair } from 'jose'
import { MemoryQuota } from '../../../src/store/quota.ts'
import { tokenVerifier } from '../../../src/http/request/token-verifier.ts'
import { AppError } from '@patient-risk/runtime'
import { holdPair, pairOf } from '../../../../../test/support/escaped-pair.ts'

const ISSUER = 'https://ehr.example.org'
const AUDIENCE = 'https://risk.example.org/cds-services/readmission'
const NOW_MS = Date.parse('2026-03-15T12:00:00Z')
/** The library asks for unknown keys again after 30 s, and for all keys after ten minutes. */
const COOLDOWN_MS = 31_000
const CACHE_MS = 601_000

let server: Server
let address = ''
let answer: { status: number; body: string } = { status: 200, body: '' }
let fetched = 0

before(async () => {
  // The library measures the age of its keys by this clock.
  mock.timers.enable({ apis: ['Date'], now: NOW_MS })
  server = createServer((_request, response) => {
    fetched++
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
})
after(() => {
  mock.timers.reset()
  server.close()
})

interface Signer {
  readonly kid: string
  readonly key: CryptoKey
  readonly jwk: JWK
}

async function signer(kid: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair('ES384', { extractable: true })
  return { kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES384' } }
}

function publish(...signers: readonly Signer[]): void {
  answer = { status: 200, body: JSON.stringify({ keys: signers.map(({ jwk }) => jwk) }) }
}

const quota = new MemoryQuota()
const store = {
  takeQuota: (...args: Parameters<MemoryQuota['take']>) => Promise.resolve(quota.take(...args)),
}

let serial = 0
function token({ kid, key }: Signer, claims: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + 300, jti: `t${serial++}`, ...claims })
    .setProtectedHeader({ alg: 'ES384', kid, typ: 'JWT' })
    .sign(key)
}

function trust(): (text: string) => Promise<string> {
  const keyIdOf = tokenVerifier([{ issuer: ISSUER, key: 'KEY1', jwksUrl: address }], store)
  return (text) =>
    keyIdOf(text, [AUDIENCE], Date.now()).catch((error: unknown) => {
      assert.ok(error instanceof AppError)
      assert.ok(!error.detail.includes(text.slice(0, 20)))
      return error.code
    })
}

for (const source of ['address', 'file'] as const) {
  test(`a set of keys from ${source === 'file' ? 'a' : 'an'} ${source}: a name with an escape is read as itself`, async () => {
    const one = await signer('one')
    const folder = mkdtempSync(join(tmpdir(), 'jwks-'))
    const jwks = join(folder, 'jwks.json')
    const check = async (body: string): Promise<string> => {
      answer = { status: 200, body }
      writeFileSync(jwks, body)
      const from = source === 'file' ? { jwks } : { jwksUrl: address }
      const keyIdOf = tokenVerifier([{ issuer: ISSUER, key: 'KEY1', ...from }], store)
      return keyIdOf(await token(one), [AUDIENCE], Date.now())
    }
    const text = JSON.stringify({ [source]: 0, keys: [one.jwk] })
    await holdPair(pairOf(text, 'keys'), check, /KEY1/)
    rmSync(folder, { recursive: true })
  })
}

test('keys are fetched once and then kept', async () => {
  const [one, check] = [await signer('one'), trust()]
  publish(one)
  const before = fetched
  assert.equal(await check(await token(one)), 'KEY1')
  assert.equal(await check(await token(one)), 'KEY1')
  assert.equal(fetched - before, 1)
})

test('a new key is found without a restart, and a removed one ends with the cache', async () => {
  const [one, two, check] = [await signer('one'), await signer('two'), trust()]
  publish(one)
  assert.equal(await check(await token(one)), 'KEY1')
  publish(two)
  assert.equal(await check(await token(two)), 'KEY_INVALID', 'not asked for again at once')
  mock.timers.tick(COOLDOWN_MS)
  assert.equal(await check(await token(two)), 'KEY1')
  assert.equal(await check(await token(one)), 'KEY_INVALID')
})

test('an address that is down: known keys serve on, until they are too old', async () => {
  const [one, two, check] = [await signer('one'), await signer('two'), trust()]
  publish(one)
  assert.equal(await check(await token(one)), 'KEY1')
  answer = { status: 500, body: 'broken' }
  mock.timers.tick(COOLDOWN_MS)
  assert.equal(await check(await token(one)), 'KEY1')
  assert.equal(await check(await token(two)), 'STORE_UNAVAILABLE')
  mock.timers.tick(CACHE_MS)
  assert.equal(await check(await token(one)), 'STORE_UNAVAILABLE')
  publish(one)
  assert.equal(await check(await token(one)), 'KEY1', 'and it recovers')
})

const BROKEN: readonly (readonly [string, { status: number; body: string }])[] = [
  ['answers with an error', { status: 503, body: '' }],
  ['does not answer with JSON', { status: 200, body: '<html>' }],
  ['does not answer with keys', { status: 200, body: '{"keys":"none"}' }],
]
for (const [name, given] of BROKEN) {
  test(`503 and not 401 where the address ${name}`, async () => {
    answer = given
    assert.equal(await trust()(await token(await signer('one'))), 'STORE_UNAVAILABLE')
  })
}

test('503 where nothing listens at the address', async () => {
  const keyIdOf = tokenVerifier(
    [{ issuer: ISSUER, key: 'KEY1', jwksUrl: 'http://127.0.0.1:1/jwks.json' }],
    store,
  )
  const text = await token(await signer('one'))
  await assert.rejects(keyIdOf(text, [AUDIENCE], Date.now()), { code: 'STORE_UNAVAILABLE' })
})

test('a key of this address is good for its issuer, this audience and one use', async () => {
  const [one, check] = [await signer('one'), trust()]
  publish(one)
  assert.equal(await check(await token(one, { iss: 'https://other.example.org' })), 'KEY_INVALID')
  assert.equal(await check(await token(one, { aud: 'https://other.example.org' })), 'KEY_INVALID')
  assert.equal(await check(await token(await signer('one'))), 'KEY_INVALID', 'the same kid, another key')
  const text = await token(one)
  assert.equal(await check(text), 'KEY1')
  assert.equal(await check(text), 'KEY_INVALID')
})
