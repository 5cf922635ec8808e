/** Section by section what the calls of jobs promise: headers, forms, room, keys, and the rows of the audit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { until } from '../../../../../test/support/until.ts'
import { SCORE } from '../../../../../test/support/serve.ts'
import { JOBS, NDJSON, addressOf, bearer, ended, lines, records, serveJobs } from './serve-jobs.ts'

const body = lines(records(2))
const code = (answer: Answer): string => (answer.json() as { readonly code: string }).code

/** Of the submission: the address, headers, status and code. */
const REFUSED: readonly (readonly [string, string, Readonly<Record<string, string>>, number, string])[] = [
  ['results as a table without DuckDB', `${JOBS}?to=csv`, NDJSON, 415, 'MEDIA_TYPE'],
  ['results as Parquet without DuckDB', `${JOBS}?to=parquet`, NDJSON, 415, 'MEDIA_TYPE'],
  ['another form of results', `${JOBS}?to=xlsx`, NDJSON, 400, 'REQUEST_INVALID'],
  ['a content coding', JOBS, { ...NDJSON, 'content-encoding': 'gzip' }, 415, 'CONTENT_CODING'],
  [
    'a name that is too long',
    JOBS,
    { ...NDJSON, 'idempotency-key': 'x'.repeat(256) },
    400,
    'REQUEST_INVALID',
  ],
  ['another state of the deployment', JOBS, { ...NDJSON, 'if-match': '"other"' }, 412, 'DEPLOYMENT_CHANGED'],
]
for (const [name, path, headers, status, expected] of REFUSED) {
  test(`a submission with ${name} is refused`, async (t) => {
    const service = await serveJobs(t)
    const answer = await service.post(body, { path, headers })
    assert.deepEqual([answer.status, code(answer)], [status, expected])
  })
}

test('a name of 255 characters is taken, and the answer says when to come back', async (t) => {
  const service = await serveJobs(t)
  const headers = { ...NDJSON, 'idempotency-key': 'x'.repeat(255) }
  const answer = await service.post(body, { path: JOBS, headers })
  const path = addressOf(answer)
  assert.equal(answer.headers['retry-after'], '2')
  assert.equal(answer.headers['preference-applied'], undefined)
  assert.deepEqual(answer.json(), { state: 'running', done: 0, total: 2 })
  const done = await ended(service, path)
  const { expires } = done.json() as { readonly expires: string }
  assert.equal(done.headers.expires, new Date(expires).toUTCString())
})

test('the answers of a job say what produced them, and what is in doubt about the feed', async (t) => {
  const service = await serveJobs(t)
  const codes = { sex: { V: 'M', F: 'F' } }
  const key = await service.makeKey({ name: 'codes', codes })
  const called = await service.post(records(1), { headers: bearer(key) })
  const names = ['deployment', 'model', 'model-digest', 'deployment-digest', 'codes-digest']
  const of = (answer: Answer, each = names): readonly unknown[] =>
    each.map((name) => answer.headers[`risk-${name}`])
  const headers = { ...NDJSON, ...bearer(key) }
  const path = addressOf(await service.post(lines(records(2)), { path: JOBS, headers }))
  await until(async () => (await service.get(path, bearer(key))).status === 200)
  assert.ok(of(called).every((value) => typeof value === 'string'))
  for (const each of [path, `${path}/files/results.ndjson`])
    assert.deepEqual(of(await service.get(each, bearer(key))), of(called))

  const foreign = [{ ...records(1)[0], sex: 'H' }]
  const doubted = addressOf(await service.post(lines(foreign), { path: JOBS, headers: NDJSON }))
  await ended(service, doubted)
  for (const each of [doubted, `${doubted}/files/results.ndjson`, `${doubted}/files/errors.ndjson`])
    assert.deepEqual(of(await service.get(each), ['feed-doubt', 'codes-digest']), [
      'sex;doubt=codes',
      undefined,
    ])
})

test('the same Idempotency-Key with other wishes is refused', async (t) => {
  const service = await serveJobs(t)
  const headers = { ...NDJSON, 'idempotency-key': 'night' }
  addressOf(await service.post(body, { path: JOBS, headers }))
  const json = { ...headers, 'content-type': 'application/json' }
  const other = await service.post(JSON.stringify(records(2)), { path: JOBS, headers: json })
  assert.deepEqual([other.status, code(other)], [409, 'IDEMPOTENCY_KEY_REUSED'])
  // Names belong to keys: that of another one is another name.
  const stranger = await service.makeKey({ name: 'other' })
  addressOf(await service.post(body, { path: JOBS, headers: { ...headers, ...bearer(stranger) } }))
})

/** Room in bytes on disk: a body takes its own bytes and those of its encryption. */
const ROOMS: readonly (readonly [object, number, string])[] = [
  [{ bytesPerKey: 100 }, 429, 'TOO_MANY_JOBS'],
  [{ totalBytes: 100 }, 503, 'OVERLOADED'],
]
for (const [limits, status, expected] of ROOMS) {
  test(`without room by ${Object.keys(limits).join()} a job is refused, and says when to try again`, async (t) => {
    const service = await serveJobs(t, limits)
    const answer = await service.post(body, { path: JOBS, headers: NDJSON })
    assert.deepEqual([answer.status, code(answer)], [status, expected])
    assert.ok(Number(answer.headers['retry-after']) > 0)
  })
}

test('the key that replaces another one by rotation sees its jobs, and files need a key', async (t) => {
  const service = await serveJobs(t)
  const path = addressOf(await service.post(body, { path: JOBS, headers: NDJSON }))
  await ended(service, path)
  const id = service.key.split('_')[1] ?? ''
  const admin = await service.makeKey({ name: 'admin', scopes: ['admin'] })
  const rotate = `/admin/keys/${id}/rotate`
  const rotated = await service.post('{}', { path: rotate, headers: bearer(admin) })
  const { key } = rotated.json() as { readonly key: string }
  assert.equal((await service.get(path, bearer(key))).status, 200)
  assert.equal((await service.get(`${path}/files/results.ndjson`, bearer(key))).status, 200)
  assert.equal((await service.get(`${path}/files/other.ndjson`, bearer(key))).status, 404)
  assert.equal((await service.get(`${path}/files/results.ndjson`, { authorization: '' })).status, 401)
})

test('submission, end and download each have a row, which names the job and holds nothing of a record', async (t) => {
  const service = await serveJobs(t)
  const answer = await service.post(body, { headers: { ...NDJSON, prefer: 'respond-async' } })
  const path = addressOf(answer)
  await ended(service, path)
  await service.get(`${path}/files/results.ndjson`)
  await service.call({ method: 'DELETE', path, headers: bearer(service.key) })
  const bad = addressOf(await service.post('[{"idx":1,}]', { path: JOBS }))
  await ended(service, bad)
  const rows = await service.store.readAudit({ newestFirst: false, most: 100 })
  const said = rows.map(({ content }) => JSON.parse(content) as Readonly<Record<string, unknown>>)
  const of = (id: string): readonly unknown[] =>
    said
      .filter(({ subject }) => subject === `job ${id}`)
      .map(({ call, status }) => `${String(call)} ${String(status)}`)
  const idOf = (address: string): string => address.split('/').at(-1) ?? ''
  const calls = of(idOf(path)).filter((row) => row !== 'job 202' && row !== 'job 200')
  assert.deepEqual(calls, ['score 202', 'job end 200', 'job download 200', 'job delete 202'])
  // The row of a job that failed says why.
  const failed = said.find(({ subject, call }) => subject === `job ${idOf(bad)}` && call === 'job end')
  assert.equal(failed?.['code'], 'BODY_MALFORMED')
  assert.ok(rows.every(({ content }) => !content.includes('emergencyAdmissions')))
})

test('the addresses of a job say which methods they take', async (t) => {
  const service = await serveJobs(t)
  const path = addressOf(await service.post(body, { path: JOBS, headers: NDJSON }))
  for (const [address, allow] of [
    [JOBS, 'POST'],
    [path, 'DELETE, GET, HEAD'],
    [`${path}/files/results.ndjson`, 'GET, HEAD'],
  ] as const) {
    const answer = await service.call({ method: 'PUT', path: address, headers: bearer(service.key) })
    assert.deepEqual([answer.status, answer.headers.allow], [405, allow])
  }
})

test('a key of another deployment, and one that may only send outcomes, cannot submit', async (t) => {
  const service = await serveJobs(t)
  const other = await service.makeKey({ name: 'other', scopes: ['flag'] })
  const answer = await service.post(body, { path: JOBS, headers: { ...NDJSON, ...bearer(other) } })
  assert.equal(answer.status, 403)
  assert.equal((await service.get(`${SCORE}/jobs/${'0'.repeat(32)}`, bearer(service.key))).status, 404)
})
