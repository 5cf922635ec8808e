/** Keys over HTTP: what a key may do, how it ends, and how keys are managed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { makeKey } from '../../../src/store/keys/keys.ts'
import { openStore } from '../../../src/store/open.ts'
import { type Answer, exchange } from '../../../../../test/support/exchange.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'
import { UNHURRIED } from '../../../../../test/support/unhurried.ts'

let served: Served
let admin: string
before(async () => {
  served = await serve({ service: { failedKeysPerMinute: 5 } })
  admin = await served.makeKey({ scopes: ['admin'] })
})
after(() => served.close())

type Json = Readonly<Record<string, unknown>>
const score = async (key: string, path = SCORE): Promise<number> =>
  (await served.post([], { path, headers: { authorization: `Bearer ${key}` } })).status
const manage = (method: string, path: string, body?: unknown, key = admin): Promise<Answer> =>
  exchange(served.origin, {
    method,
    path: `/admin/keys${path}`,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

test('a key is made over HTTP, works at once, and is shown once', async () => {
  const made = await manage('POST', '', { name: 'ward', deployments: ['readmission'], expires: '90d' })
  assert.equal(made.status, 201)
  const { id, key } = made.json() as { readonly id: string; readonly key: string }
  assert.equal(await score(key), 200)
  assert.equal(await score(key, `/flag${SCORE}`), 403)
  const list = await manage('GET', '')
  assert.equal(list.status, 200)
  assert.match(list.text, new RegExp(id))
  assert.doesNotMatch(list.text, /prk_|digest/)
})

const REFUSED_BODIES = [
  ['no name', {}],
  ['an empty name', { name: ' ' }],
  ['a name with a line feed', { name: 'a\nb' }],
  ['an unknown deployment', { name: 'x', deployments: ['nowhere'] }],
  ['an unknown word', { name: 'x', owner: 'y' }],
  ['a time without a unit', { name: 'x', expires: '90' }],
  ['no time at all', { name: 'x', expires: '0d' }],
  ['a limit of zero', { name: 'x', limits: { requestsPerMinute: 0 } }],
] as const
for (const [what, body] of REFUSED_BODIES) {
  test(`a key with ${what} is not made`, async () => {
    const answer = await manage('POST', '', body)
    assert.equal(answer.status, 400)
    assert.doesNotMatch(answer.text, /nowhere|owner.*y/)
  })
}

test('only the scope admin manages keys; * is not enough', async () => {
  for (const [method, path] of [
    ['GET', ''],
    ['POST', ''],
    ['POST', '/x/rotate'],
    ['POST', '/x/revoke'],
  ] as const) {
    assert.equal((await manage(method, path, undefined, served.key)).status, 403)
  }
  assert.equal(await score(admin), 403)
})

test('a rotated key and its successor both work until the overlap is over', async () => {
  const { id, key } = (await manage('POST', '', { name: 'ward' })).json() as { id: string; key: string }
  const rotated = (await manage('POST', `/${id}/rotate`, { overlap: '1h' })).json() as Json
  assert.equal(rotated['replaces'], id)
  assert.deepEqual([await score(key), await score(String(rotated['key']))], [200, 200])
  served.clock.advance(3_600_000)
  assert.deepEqual([await score(key), await score(String(rotated['key']))], [401, 200])
  assert.equal((await manage('POST', `/${id}/rotate`)).status, 409)
  assert.equal((await manage('POST', '/nobody000000/rotate')).status, 404)
})

test('a revoked key is refused by the next request', async () => {
  const { id, key } = (await manage('POST', '', { name: 'ward' })).json() as { id: string; key: string }
  assert.equal(await score(key), 200)
  const revoked = await manage('POST', `/${id}/revoke`)
  assert.equal(revoked.status, 200)
  assert.notEqual((revoked.json() as Json)['revoked'], null)
  assert.equal(await score(key), 401)
})

test('a key that the command line revokes is refused within a second', async () => {
  const key = await served.makeKey()
  assert.equal(await score(key), 200)
  const { status } = spawnSync(
    process.execPath,
    ['bin/patient-risk.js', 'keys', 'revoke', key.split('_')[1] ?? ''],
    {
      env: { ...process.env, DATA_DIR: served.dataDir },
    },
  )
  assert.equal(status, 0)
  await until(async () => (await score(key)) === 401, { what: 'the refusal of the revoked key' })
})

test('a clock that is set back does not revive a key, not even after a restart', async () => {
  const own = await serve()
  const key = await own.makeKey({ expiresAt: own.clock.now() + 60_000 })
  const ask = async (where: Served): Promise<number> =>
    (await where.post([], { headers: { authorization: `Bearer ${key}` } })).status
  assert.equal(await ask(own), 200)
  own.clock.advance(60_000)
  assert.equal(await ask(own), 401)
  own.clock.advance(-30_000)
  assert.equal(await ask(own), 401)
  const { store, secrets } = await openStore(own.dataDir, undefined, undefined, UNHURRIED)
  const again = await serve({ service: { store, secrets, clock: own.clock } })
  assert.equal(await ask(again), 401)
  const other = await makeKey(store, secrets, { name: 'x', scopes: ['*'], expiresAt: null }, own.clock.now())
  assert.equal(
    (await again.post([], { headers: { authorization: `Bearer ${other.key}` } })).status,
    200,
    'a key of the same secret without an end is good',
  )
  await again.close()
  await store.close()
  await own.close()
})

test('after too many bad keys from an address failures are slowed, and every valid key is served', async () => {
  const { id, key } = (await manage('POST', '', { name: 'unused' })).json() as { id: string; key: string }
  const statuses: number[] = []
  for (let i = 0; i < 7; i++) statuses.push(await score('prk_bad'))
  assert.equal(statuses.at(0), 401)
  assert.equal(statuses.at(-1), 429)
  assert.equal(await score(served.key), 200, 'a key in use')
  assert.equal(await score(key), 200, 'a key that was never used')
  assert.equal(await score(await served.makeKey()), 200, 'a key that was made just now')
  assert.equal((await manage('POST', `/${id}/revoke`)).status, 200, 'the administrator')
  assert.equal(await score(key), 429, 'a revoked key is a failure')
  assert.equal(await score('prk_bad'), 429)
})
