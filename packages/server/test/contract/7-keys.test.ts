/** Contract, sections 7 and 8: who may call. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { formatApiKey, newApiKey, parseApiKey } from '../../src/store/keys/keys.ts'
import type { Answer } from '../../../../test/support/exchange.ts'
import { SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { contract } from '../../../../test/support/clauses.ts'
import { patient } from '../../../../test/support/contract-records.ts'

const DAY_MS = 86_400_000
let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

const post = (authorization: string | readonly string[] | undefined, path = SCORE): Promise<Answer> =>
  served.call({
    method: 'POST',
    path,
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: JSON.stringify([patient(1)]),
  })

function assertRefused(answer: Answer, status: number, code: string, challenge: string): void {
  assert.equal(answer.status, status)
  assert.equal((answer.json() as { code: string }).code, code)
  assert.equal(answer.headers['www-authenticate'], challenge)
}
const REALM = 'Bearer realm="patient-risk"'

for (const header of [undefined, '', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'prk_x']) {
  contract('7.401', `no key: ${JSON.stringify(header)}`, async () => {
    assertRefused(await post(header), 401, 'KEY_MISSING', REALM)
  })
}
contract('7.401', 'unknown, mistyped, of another service', async () => {
  const unknown = formatApiKey(newApiKey())
  for (const key of [
    unknown,
    served.key.slice(0, -1),
    `${served.key}0`,
    served.key.toLowerCase(),
    'x',
    '💊',
  ]) {
    const sent = Buffer.from(`Bearer ${key}`).toString('latin1')
    assertRefused(await post(sent), 401, 'KEY_INVALID', `${REALM}, error="invalid_token"`)
  }
})
contract('7.401', 'expired: good until its last millisecond', async () => {
  const key = await served.makeKey({ expiresAt: served.clock.now() + DAY_MS })
  assert.equal((await post(`Bearer ${key}`)).status, 200)
  served.clock.advance(DAY_MS - 1)
  assert.equal((await post(`Bearer ${key}`)).status, 200)
  served.clock.advance(1)
  assertRefused(await post(`Bearer ${key}`), 401, 'KEY_INVALID', `${REALM}, error="invalid_token"`)
})
contract('7.401', 'on discovery too, and not on probes and documents', async () => {
  for (const call of ['/model', '/fields']) {
    const answer = await served.call({ path: SCORE + call })
    assertRefused(answer, 401, 'KEY_MISSING', REALM)
  }
  for (const path of ['/health/live', '/health/ready', '/openapi.json']) {
    assert.equal((await served.call({ path })).status, 200)
  }
})

contract('7.key-first', 'refused before a byte of the body was sent', async () => {
  const head = `POST ${SCORE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`
  const answer = await served.raw(`${head}Authorization: Bearer nobody\r\n\r\n`)
  assert.equal(answer.status, 401)
})
contract('7.key-first', 'a bad key beats a bad body, type and coding', async () => {
  const answer = await served.call({
    method: 'POST',
    path: SCORE,
    headers: { 'content-type': 'text/plain', 'content-encoding': 'x', authorization: 'Bearer nobody' },
    body: '{{{',
  })
  assert.equal(answer.status, 401)
})

contract('7.403', 'a key of the other deployment', async () => {
  const key = await served.makeKey({ scopes: ['readmission-flag'] })
  assert.equal((await post(`Bearer ${key}`, `/flag${SCORE}`)).status, 200)
  for (const call of ['', '/validate', '/explain']) {
    const answer = await post(`Bearer ${key}`, SCORE + call)
    assertRefused(answer, 403, 'KEY_SCOPE', `${REALM}, error="insufficient_scope"`)
  }
  for (const call of ['/model', '/fields']) {
    const answer = await served.get(SCORE + call, { authorization: `Bearer ${key}` })
    assertRefused(answer, 403, 'KEY_SCOPE', `${REALM}, error="insufficient_scope"`)
  }
})

contract('8.scopes', 'admin alone scores nothing, and * is no admin', async () => {
  const admin = await served.makeKey({ scopes: ['admin'] })
  assert.equal((await post(`Bearer ${admin}`)).status, 403)
  const both = await served.makeKey({ scopes: ['readmission', 'admin'] })
  assert.equal((await post(`Bearer ${both}`)).status, 200)
  assert.equal((await post(`Bearer ${both}`, `/flag${SCORE}`)).status, 403)
})

for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
  contract('8.scheme', `scheme written ${JSON.stringify(scheme)}`, async () => {
    assert.equal((await post(`${scheme} ${served.key}`)).status, 200)
  })
}
contract('8.scheme', 'two headers are refused, even with the same key', async () => {
  const head = `POST ${SCORE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`
  for (const other of [served.key, 'nobody']) {
    const both = `Authorization: Bearer ${served.key}\r\nAuthorization: Bearer ${other}\r\n`
    const answer = await served.raw(`${head}${both}Connection: close\r\n\r\n[]`)
    assert.equal(answer.status, 400)
  }
})

contract('8.once', 'neither the key nor its secret part is kept or logged', async () => {
  const key = await served.makeKey({ name: 'once' })
  assert.equal((await post(`Bearer ${key}`)).status, 200)
  const secret = key.slice('prk_'.length + 13)
  for (const file of readdirSync(served.dataDir)) {
    const bytes = readFileSync(join(served.dataDir, file))
    assert.ok(!bytes.includes(secret) && !bytes.includes(secret.slice(0, 43)), file)
  }
  assert.ok(!served.logText().includes(secret))
})

contract('8.format', 'prk, a public id, 256 bits, a checksum', () => {
  assert.match(served.key, /^prk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
  const ids = new Set(Array.from({ length: 200 }, () => newApiKey().id))
  assert.equal(ids.size, 200)
})
contract('8.format', 'every single slip of a character is noticed without a look-up', () => {
  const key = formatApiKey(newApiKey())
  for (let at = 0; at < key.length; at++) {
    for (const wrong of ['', key[at] === 'a' ? 'b' : 'a', `${key[at] ?? ''}${key[at] ?? ''}`]) {
      const typed = key.slice(0, at) + wrong + key.slice(at + 1)
      assert.equal(parseApiKey(typed), undefined, typed)
    }
  }
})

contract('8.stored', 'a digest of the secret, and the last use to the minute', async () => {
  served.clock.set('2026-04-01T10:20:45.678Z')
  const key = await served.makeKey({ name: 'kept', scopes: ['readmission'], expiresAt: null })
  assert.equal((await post(`Bearer ${key}`)).status, 200)
  const stored = (await served.store.listKeys()).find(({ name }) => name === 'kept')
  assert.ok(stored)
  assert.equal(stored.id, key.split('_')[1])
  assert.equal(stored.digest.length, 32)
  assert.deepEqual(stored.scopes, ['readmission'])
  assert.equal(stored.createdAt, Date.parse('2026-04-01T10:20:45.678Z'))
  assert.equal(stored.lastUsedAt, Date.parse('2026-04-01T10:20:00Z'))
  assert.equal(stored.expiresAt, null)
  assert.equal(stored.revokedAt, null)
})
