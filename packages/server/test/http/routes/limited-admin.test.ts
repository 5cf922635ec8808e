/** Two hospitals on one service: an administrator of one deployment sees and makes only what belongs to it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exchange } from '../../../../../test/support/exchange.ts'
import { type Served, serve } from '../../../../../test/support/serve.ts'

const RECORD = [{ idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }]
let served: Served
let limited: string
before(async () => {
  served = await serve()
  limited = await served.makeKey({ name: 'chief of flag', scopes: ['readmission-flag', 'admin'] })
  const flag = await served.makeKey({ scopes: ['readmission-flag'] })
  assert.equal((await served.post(RECORD)).status, 200)
  const other = { path: '/flag/risk/api/do/v0', headers: { authorization: `Bearer ${flag}` } }
  assert.equal((await served.post(RECORD, other)).status, 200)
})
after(() => served.close())

async function call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${limited}`, 'content-type': 'application/json' }
  const answer = await exchange(served.origin, {
    method,
    path,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: answer.json() }
}

test('it lists the keys of its deployment alone', async () => {
  const { body } = await call('GET', '/admin/keys')
  const keys = body as readonly { readonly scopes: readonly string[] }[]
  assert.equal(keys.length, 2)
  for (const { scopes } of keys) assert.ok(scopes.includes('readmission-flag'), scopes.join())
})

test('it makes keys of its deployment alone, and none with a wider reach', async () => {
  const made = await call('POST', '/admin/keys', { name: 'ward', admin: true })
  assert.equal(made.status, 201)
  const { id } = made.body as { readonly id: string }
  assert.deepEqual((await served.store.findKey(id))?.scopes, ['readmission-flag', 'admin'])
  for (const deployments of [['readmission'], ['*'], ['readmission-flag', 'readmission']]) {
    const { status, body } = await call('POST', '/admin/keys', { name: 'x', deployments })
    assert.equal(status, 400)
    assert.match((body as { detail: string }).detail, /There are: readmission-flag\./)
  }
})

test('keys of other deployments do not exist for it', async () => {
  const foreign = (await served.store.listKeys()).find(({ scopes }) => scopes.includes('*'))
  for (const act of ['rotate', 'revoke']) {
    assert.equal((await call('POST', `/admin/keys/${foreign?.id}/${act}`, {})).status, 404)
  }
  assert.equal((await served.store.findKey(foreign?.id ?? ''))?.revokedAt, null)
})

test('it sees rows and figures of its deployment alone', async () => {
  const { rows, next } = (await call('GET', '/admin/audit')).body as {
    readonly rows: readonly { readonly deployment: string }[]
    readonly next: number | null
  }
  assert.deepEqual([rows.map(({ deployment }) => deployment), next], [['readmission-flag'], null])
  const { hours } = (await call('GET', '/admin/usage?hours=1')).body as {
    readonly hours: readonly { readonly requests: number }[]
  }
  assert.equal(hours[0]?.requests, 1)
})

test('it does not read the metrics of all deployments', async () => {
  const headers = { authorization: `Bearer ${limited}`, 'x-forwarded-for': '192.0.2.1' }
  assert.equal((await served.get('/metrics', headers)).status, 403)
})
