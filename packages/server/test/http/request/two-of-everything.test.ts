/** A service with two proxies, deployments and keys: what is said of one of them is never said of the other. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { TrustedProxies } from '../../../src/http/connection/trusted-proxies.ts'
import { cleanRecords } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'
import { DEPLOYMENTS, PROXIES } from '../../../../../test/support/two-of-everything.ts'

const [NORTH, SOUTH] = DEPLOYMENTS
const { outer, inner } = PROXIES
const CALLER = '198.51.100.7'
const FORGED = '203.0.113.9'

/** Who is connected · what the header says · who has called. */
const FORWARDED = [
  [CALLER, undefined, CALLER],
  [CALLER, FORGED, CALLER],
  [outer, CALLER, CALLER],
  [outer, `${FORGED}, ${CALLER}`, CALLER],
  [inner, `${CALLER}, ${outer}`, CALLER],
  [inner, `${FORGED}, ${CALLER}, ${outer}`, CALLER],
  [inner, `${FORGED},${outer}, ${CALLER},${outer}`, CALLER],
  [`::ffff:${inner}`, `${FORGED}, ${CALLER}, ${outer}`, CALLER],
  [inner, outer, outer],
  [inner, `${CALLER}, unknown`, inner],
  [inner, '', inner],
] as const
for (const entries of [
  [outer, inner],
  ['192.0.2.0/24', '10.0.0.0/30'],
  [`${inner}/32`, outer],
]) {
  const proxies = new TrustedProxies(entries)
  for (const [remoteAddress, forwarded, caller] of FORWARDED) {
    test(`proxies ${entries.join(' and ')}: ${remoteAddress} for ${forwarded ?? 'itself'} is ${caller}`, () => {
      const message = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }
      assert.equal(proxies.callerOf(message as unknown as IncomingMessage), caller)
    })
  }
}

let served: Served
before(async () => {
  // Requests come from this machine: it is the inner one.
  const settings = { ...DEFAULT_SERVER_SETTINGS, trustedProxies: [outer, '127.0.0.1'] }
  served = await serve({ deployments: DEPLOYMENTS, service: { settings, failedKeysPerMinute: 1 } })
})
after(() => served.close())

test('a forged address before that of the caller does not escape the count of failed keys', async () => {
  const show = async (forged: string, caller: string): Promise<number> => {
    const forwarded = `${forged}, ${caller}, ${outer}`
    const headers = { authorization: 'Bearer prk_bad', 'x-forwarded-for': forwarded }
    return (await served.post('[]', { path: `/north${SCORE}`, headers })).status
  }
  assert.equal(await show('203.0.113.1', CALLER), 401)
  assert.equal(await show('203.0.113.2', CALLER), 429)
  assert.equal(await show('203.0.113.1', '198.51.100.8'), 401, 'another caller')
})

/** The status of a body of so many records, and the risk of its first one. */
async function scoreAt(
  { basePath }: { readonly basePath: string },
  records: number,
  key = served.key,
): Promise<readonly [number, unknown]> {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await served.post(cleanRecords(records), { path: basePath + SCORE, headers })
  if (answer.status !== 200) return [answer.status, undefined]
  return [200, (answer.json() as { readonly risk: unknown }[])[0]?.risk]
}

test('each of two deployments has its own kind of answer and its own limits', async () => {
  const [, risk] = await scoreAt(NORTH, 1)
  assert.equal(typeof risk, 'number')
  assert.match(String((await scoreAt(SOUTH, 1))[1]), /^(Yes|No)$/)
  assert.deepEqual([(await scoreAt(NORTH, 3))[0], (await scoreAt(SOUTH, 3))[0]], [413, 200])
})

test('a key of one deployment does not open the other', async () => {
  for (const [own, other] of [
    [NORTH, SOUTH],
    [SOUTH, NORTH],
  ] as const) {
    const key = await served.makeKey({ scopes: [own.name] })
    assert.deepEqual([(await scoreAt(own, 1, key))[0], (await scoreAt(other, 1, key))[0]], [200, 403])
  }
})

test('the limits of one key are not those of the other, and a rotated key keeps the limits of its own', async () => {
  const admin = await served.makeKey({ scopes: ['admin'] })
  const narrow = await served.makeKey({ name: 'narrow', limits: { requestsPerMinute: 1 } })
  const wide = await served.makeKey({ name: 'wide', limits: { requestsPerMinute: 3 } })
  const [, id = ''] = /^prk_([^_]+)_/.exec(narrow) ?? []
  const rotated = await served.call({
    method: 'POST',
    path: `/admin/keys/${id}/rotate`,
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: '{}',
  })
  assert.equal(rotated.status, 201, rotated.text)
  const { key: newer } = rotated.json() as { readonly key: string }
  const statuses = async (key: string): Promise<readonly number[]> => {
    const seen: number[] = []
    for (let turn = 0; turn < 2; turn++) seen.push((await scoreAt(NORTH, 1, key))[0])
    return seen
  }
  assert.deepEqual(await statuses(newer), [200, 429])
  assert.deepEqual(await statuses(wide), [200, 200])
})

test('the limit of a key counts over both deployments, and that of a deployment for each of two keys', async () => {
  const narrow = await served.makeKey({ name: 'over both', limits: { requestsPerMinute: 2 } })
  assert.equal((await scoreAt(NORTH, 1, narrow))[0], 200)
  assert.equal((await scoreAt(SOUTH, 1, narrow))[0], 200)
  assert.deepEqual([(await scoreAt(NORTH, 1, narrow))[0], (await scoreAt(SOUTH, 1, narrow))[0]], [429, 429])
  assert.equal((await scoreAt(NORTH, 1, await served.makeKey({ name: 'another' })))[0], 200)
})
