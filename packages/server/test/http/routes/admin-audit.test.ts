/** The newest rows of the audit and the use hour by hour, as an admin key sees them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Served, serve } from '../../../../../test/support/serve.ts'

const GOOD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const BAD = { idx: 2, age: 'old', sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1 }

interface Page {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly next: number | null
}

let served: Served
let admin: string
before(async () => {
  served = await serve()
  admin = await served.makeKey({ scopes: ['admin'] })
  assert.equal((await served.post([GOOD, BAD])).status, 200)
  assert.equal((await served.post('{')).status, 400)
})
after(() => served.close())

const ask = async (path: string, key = admin): Promise<{ status: number; body: unknown }> => {
  const answer = await served.get(path, { authorization: `Bearer ${key}` })
  return { status: answer.status, body: answer.json() }
}

test('the newest row comes first, with counts and without digests', async () => {
  const { body } = await ask('/admin/audit?most=2')
  const { rows } = body as Page
  assert.equal(rows.length, 2)
  const [refused, scored] = rows
  assert.equal(refused?.['status'], 400)
  assert.equal(refused['code'], 'BODY_MALFORMED')
  assert.deepEqual(
    [scored?.['call'], scored?.['status'], scored?.['records'], scored?.['scored'], scored?.['problems']],
    ['score', 200, 2, 1, { ValueError: 1, ValueMissing: 1 }],
  )
  assert.equal('bodyDigest' in (scored ?? {}), false)
})

const FILTERS = [
  ['outcome=refused', [400]],
  ['outcome=answered&calls=scoring', [200]],
  ['calls=scoring', [400, 200]],
  ['deployment=readmission', [400, 200]],
  ['deployment=nowhere', []],
  ['to=2000-01-01T00:00:00Z', []],
  ['from=2000-01-01T00:00:00Z&calls=scoring', [400, 200]],
  ['key=nobody', []],
] as const

for (const [query, statuses] of FILTERS) {
  test(`the audit with ${query}`, async () => {
    const { rows, next } = (await ask(`/admin/audit?${query}`)).body as Page
    assert.deepEqual(
      rows.map(({ status }) => status),
      statuses,
    )
    assert.equal(next, null)
  })
}

test('use is counted by key', async () => {
  const { keys } = (await ask('/admin/usage')).body as { keys: Readonly<Record<string, unknown>>[] }
  assert.deepEqual(
    [keys[0]?.['requests'], keys[0]?.['refused'], keys[0]?.['records'], keys[0]?.['scored']],
    [2, 1, 2, 1],
  )
})

test('a key without any deployment can be made on purpose', async () => {
  const answer = await served.call({
    method: 'POST',
    path: '/admin/keys',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'nothing', deployments: [] }),
  })
  assert.equal(answer.status, 201)
  const { key } = answer.json() as { key: string }
  const summary = (await ask('/deployments', key)).body as { deployments: unknown[]; idleLockMinutes: number }
  assert.deepEqual([summary.deployments, summary.idleLockMinutes], [[], 15])
})

test('a stream has two rows, and is counted once', async () => {
  const own = await serve()
  const key = await own.makeKey({ scopes: ['admin'] })
  const headers = { 'content-type': 'application/x-ndjson' }
  assert.equal((await own.post(`${JSON.stringify(GOOD)}\n`, { headers })).status, 200)
  const authorization = `Bearer ${key}`
  const usage = (await own.get('/admin/usage?hours=1', { authorization })).json()
  const page = (await own.get('/admin/audit?most=3', { authorization })).json() as Page
  await own.close()
  const [hour] = (usage as { hours: Readonly<Record<string, unknown>>[] }).hours
  assert.deepEqual([hour?.['requests'], hour?.['records'], hour?.['scored']], [1, 1, 1])
  assert.deepEqual(
    page.rows.map(({ call, ended, records }) => [call, ended, records]),
    [
      ['usage', undefined, undefined],
      ['score', 'complete', 1],
      ['score', 'begun', undefined],
    ],
  )
})

test('pages follow one another without a gap', async () => {
  const first = (await ask('/admin/audit?most=1')).body as Page
  const second = (await ask(`/admin/audit?most=1&before=${first.next ?? 0}`)).body as Page
  assert.equal(second.rows[0]?.['seq'], Number(first.rows[0]?.['seq']) - 1)
})

test('use is counted in its hour', async () => {
  const { body } = await ask('/admin/usage?hours=3')
  const usage = body as { complete: boolean; hours: Readonly<Record<string, unknown>>[] }
  assert.equal(usage.complete, true)
  assert.equal(usage.hours.length, 3)
  const last = usage.hours[2] ?? {}
  assert.equal(last['records'], 2)
  assert.equal(last['scored'], 1)
  assert.equal(last['refused'], 1)
  assert.deepEqual(last['problems'], { ValueError: 1, ValueMissing: 1 })
})

for (const path of ['/admin/audit', '/admin/usage']) {
  test(`${path} is for admin keys alone`, async () => {
    assert.equal((await ask(path, served.key)).status, 403)
    assert.equal((await served.call({ path })).status, 401)
  })
}

for (const path of [
  '/admin/audit?most=0',
  '/admin/audit?most=501',
  '/admin/audit?before=x',
  '/admin/usage?hours=9999',
]) {
  test(`${path} is refused`, async () => {
    assert.equal((await ask(path)).status, 400)
  })
}

for (const query of ['outcome=good', 'calls=all', 'from=yesterday']) {
  test(`the audit refuses ${query}`, async () => {
    assert.equal((await ask(`/admin/audit?${query}`)).status, 400)
  })
}

test('an administrator of some deployments cannot make a key that manages all', async () => {
  const limited = await served.makeKey({ scopes: ['readmission', 'admin'] })
  const answer = await served.call({
    method: 'POST',
    path: '/admin/keys',
    headers: { authorization: `Bearer ${limited}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'more', deployments: [], admin: true }),
  })
  assert.equal(answer.status, 400)
})

test('a call from the web page of the service is marked in the audit', async () => {
  for (const [site, via] of [
    ['same-origin', 'page'],
    ['cross-site', undefined],
    ['none', undefined],
  ] as const) {
    await served.post([GOOD], { headers: { 'sec-fetch-site': site } })
    const { rows } = (await ask('/admin/audit?most=1&calls=scoring')).body as Page
    assert.equal(rows[0]?.['via'], via, site)
  }
})
