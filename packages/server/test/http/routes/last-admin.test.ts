/** The last key that can manage something is not revoked by mistake, and a wrong clock makes no key that lasts too long. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Served, serve } from '../../../../../test/support/serve.ts'

const DAY_MS = 86_400_000
let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

interface Answered {
  readonly status: number
  readonly code?: string
  readonly id: string
  readonly key: string
}

async function manage(key: string, path: string, body: object = {}): Promise<Answered> {
  const answer = await served.call({
    method: 'POST',
    path: `/admin/keys${path}`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { ...(answer.json() as Omit<Answered, 'status'>), status: answer.status }
}

test('the last usable admin key cannot revoke itself; with another of the same reach it can', async () => {
  const first = await served.makeKey({ name: 'first', scopes: ['*', 'admin'] })
  const id = first.split('_')[1] ?? ''
  const refused = [409, 'LAST_ADMIN_KEY']
  const revoke = async (): Promise<unknown[]> => {
    const { status, code } = await manage(first, `/${id}/revoke`)
    return code === undefined ? [status] : [status, code]
  }
  assert.deepEqual(await revoke(), refused)
  const plain = await manage(first, '', { name: 'no admin' })
  const limited = await manage(first, '', { name: 'one ward', admin: true, deployments: ['readmission'] })
  const short = await manage(first, '', { name: 'for an hour', admin: true, expires: '1h' })
  assert.deepEqual([plain.status, limited.status, short.status], [201, 201, 201])
  served.clock.advance(2 * 3_600_000)
  assert.deepEqual(await revoke(), refused, 'neither an expired key nor one with a smaller reach counts')
  assert.equal((await manage(first, `/${plain.id}/revoke`)).status, 200)
  assert.equal((await manage(first, `/${limited.id}/revoke`)).status, 200, 'the other one covers it')
  const second = await manage(first, '', { name: 'second', admin: true })
  assert.deepEqual(await revoke(), [200])
  const last = await manage(second.key, `/${second.id}/revoke`)
  assert.deepEqual([last.status, last.code], refused)
  assert.equal((await manage(second.key, '', { name: 'still works' })).status, 201)
})

test('after a clock that ran ahead, HTTP makes no key that expires, as the command line does not', async () => {
  const admin = await served.makeKey({ name: 'admin', scopes: ['*', 'admin'] })
  assert.equal((await manage(admin, '', { name: 'before', expires: '1h' })).status, 201)
  served.clock.advance(400 * DAY_MS)
  assert.equal((await manage(admin, '', { name: 'ahead' })).status, 201)
  served.clock.advance(-400 * DAY_MS)
  const { status, code } = await manage(admin, '', { name: 'for 1h', expires: '1h' })
  assert.deepEqual([status, code], [400, 'REQUEST_INVALID'])
  assert.equal((await manage(admin, '', { name: 'for good' })).status, 201)
})
