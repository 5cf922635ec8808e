/** Headers that protect a browser, pages of other origins, and who may read the figures. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEFAULT_FILE, DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { type Answer, exchange } from '../../../../../test/support/exchange.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

const WARD = 'https://ward.example.org'
const LIMIT_PROXIES = { ...DEFAULT_SERVER_SETTINGS, trustedProxies: ['127.0.0.0/8'] }

let served: Served
before(async () => {
  const [plain, flag] = DEFAULT_FILE.deployments
  assert.ok(plain !== undefined && flag !== undefined)
  served = await serve({ deployments: [plain, { ...flag, cors: { origins: [WARD] } }] })
})
after(() => served.close())

for (const [path, status] of [
  ['/health/live', 200],
  ['/openapi.json', 200],
  ['/docs/', 200],
  ['/docs/static/swagger-ui-bundle.js', 200],
  ['/nowhere', 404],
  [SCORE, 405],
  ['/%zz', 400],
] as const) {
  test(`${path} carries the headers that protect a browser`, async () => {
    const { status: got, headers } = await served.call({ path })
    assert.equal(got, status)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|https:|\*/)
    assert.equal(headers['server'], undefined)
    assert.equal(headers['x-powered-by'], undefined)
  })
}

test('answers with patient data forbid caching, framing and other origins', async () => {
  for (const body of ['[]', '[']) {
    const { headers } = await served.post(body)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
    // Browsers apply it to pages only.
    assert.equal(headers['permissions-policy'], undefined)
  }
})

const preflight = (path: string, origin: string): Promise<Answer> =>
  exchange(served.origin, {
    method: 'OPTIONS',
    path,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
  })

test('pages of other origins may not call a deployment that names none', async () => {
  assert.equal((await preflight(SCORE, WARD)).status, 405)
  const answer = await served.post('[]', { headers: { origin: WARD } })
  assert.equal(answer.headers['access-control-allow-origin'], undefined)
})

test('a page of a named origin may call', async () => {
  const asked = await preflight(`/flag${SCORE}`, WARD)
  assert.equal(asked.status, 204)
  assert.equal(asked.headers['access-control-allow-origin'], WARD)
  assert.match(String(asked.headers['access-control-allow-headers']), /authorization/)
  assert.equal(asked.headers['access-control-allow-credentials'], undefined)
  const answer = await served.post('[]', { path: `/flag${SCORE}`, headers: { origin: WARD } })
  assert.equal(answer.headers['access-control-allow-origin'], WARD)
  assert.equal(answer.headers.vary, 'origin')
  const refused = await served.post('[', { path: `/flag${SCORE}`, headers: { origin: WARD } })
  assert.equal(refused.headers['access-control-allow-origin'], WARD, 'the page can read why it was refused')
})

test('a page of another origin than the named one may not', async () => {
  for (const origin of ['https://evil.example', 'null', `${WARD}.evil.example`, 'http://ward.example.org']) {
    assert.equal((await preflight(`/flag${SCORE}`, origin)).headers['access-control-allow-origin'], undefined)
    const answer = await served.post('[]', { path: `/flag${SCORE}`, headers: { origin } })
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
  }
})

test('/metrics is open to this machine; other addresses need an admin key', async () => {
  assert.equal((await served.call({ path: '/metrics' })).status, 200)
  // A proxy on this machine makes everybody look local, but for the headers that it adds.
  for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    const far = { [name]: '203.0.113.9' }
    assert.equal((await served.call({ path: '/metrics', headers: far })).status, 401, name)
    assert.equal((await served.get('/metrics', far)).status, 403, name)
    const admin = await served.makeKey({ scopes: ['admin'] })
    assert.equal(
      (await served.get('/metrics', { ...far, authorization: `Bearer ${admin}` })).status,
      200,
      name,
    )
  }
})

test('/metrics can be opened to everyone', async () => {
  const open = await serve({ service: { settings: { ...DEFAULT_SERVER_SETTINGS, metrics: 'open' } } })
  assert.equal((await open.call({ path: '/metrics', headers: { via: '1.1 x' } })).status, 200)
  await open.close()
})

test('an address in a header is believed from a trusted proxy alone', async () => {
  // Bad keys count against the address that shows them.
  const settings = { 'not trusted': DEFAULT_SERVER_SETTINGS, trusted: LIMIT_PROXIES }
  const statuses: Record<string, number> = {}
  for (const [name, each] of Object.entries(settings)) {
    const guarded = await serve({ service: { settings: each, failedKeysPerMinute: 1 } })
    const bad = 'Bearer prk_bad'
    const show = async (address: string): Promise<number> =>
      (await guarded.post('[]', { headers: { authorization: bad, 'x-forwarded-for': address } })).status
    await show('203.0.113.1')
    await show('203.0.113.1')
    statuses[name] = await show('203.0.113.2')
    await guarded.close()
  }
  assert.deepEqual(statuses, { 'not trusted': 429, trusted: 401 })
})
