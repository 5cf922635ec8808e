/** Jobs over HTTP: what is taken, shown, fetched and erased, and by whom. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fingerprintOf } from '@patient-risk/runtime'
import { makeKey, openStore } from '@patient-risk/server/store'
import { SCORE, serve } from '../../../../../test/support/serve.ts'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { UNHURRIED } from '../../../../../test/support/unhurried.ts'
import { until } from '../../../../../test/support/until.ts'
import { JOBS, NDJSON, RECORD, addressOf, bearer, ended, lines, records, serveJobs } from './serve-jobs.ts'

const FORMS: readonly (readonly [string, string, string])[] = [
  ['an array', 'application/json', JSON.stringify(records(3))],
  [
    'an array over many lines, with a mark',
    'application/json',
    `\uFEFF${JSON.stringify(records(3), null, 2)}\n`,
  ],
  ['lines', 'application/x-ndjson', lines(records(3))],
]
for (const [name, type, body] of FORMS) {
  test(`a job with ${name} gives the answers of the scoring call, and is erased`, async (t) => {
    const service = await serveJobs(t)
    const path = addressOf(await service.post(body, { path: JOBS, headers: { 'content-type': type } }))
    assert.match(path, /^\/risk\/api\/do\/v0\/jobs\/[0-9a-f]{32}$/)
    const done = await ended(service, path)
    const manifest = done.json() as Record<string, unknown>
    const model = (await service.get(`${SCORE}/model`)).json() as { deployment: { digest: string } }
    assert.deepEqual(
      { ...manifest, model: '', expires: '' },
      {
        state: 'done',
        model: '',
        digest: model.deployment.digest,
        records: 3,
        scored: 3,
        output: [{ url: `${path}/files/results.ndjson`, type: 'application/x-ndjson', count: 3 }],
        error: [],
        expires: '',
      },
    )
    const file = await service.get(`${path}/files/results.ndjson`)
    const called = await service.post(records(3))
    assert.deepEqual(
      file.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
      called.json(),
    )
    // The body is erased when the job is done, and nothing that is left can be read without the key.
    const [id = ''] = readdirSync(service.folder)
    const pieces = readdirSync(join(service.folder, id))
    assert.deepEqual(pieces, ['out-000000'])
    assert.doesNotMatch(readFileSync(join(service.folder, id, 'out-000000'), 'latin1'), /idx|risk/)
    const deleted = await service.call({ method: 'DELETE', path, headers: bearer(service.key) })
    assert.equal(deleted.status, 202)
    assert.equal((await service.get(path)).status, 404)
    assert.equal((await service.get(`${path}/files/results.ndjson`)).status, 404)
    assert.deepEqual(readdirSync(service.folder), [])
    assert.doesNotMatch(service.logText(), /emergencyAdmissions/)
  })
}

test('every record with a repeated idx is refused, in whatever piece it lies, and the errors are a file', async (t) => {
  const service = await serveJobs(t)
  const filler = 'x'.repeat(100_000)
  const all = [
    { idx: 1, ...RECORD },
    ...Array.from({ length: 25 }, (_each, place) => ({ idx: 10 + place, ...RECORD, note: filler })),
    { idx: 2, ...RECORD },
    { idx: 1, ...RECORD },
    { idx: 3, ...RECORD, age: 'old' },
  ]
  const path = addressOf(await service.post(lines(all), { path: JOBS, headers: NDJSON }))
  const done = (await ended(service, path)).json() as {
    records: number
    scored: number
    error: { count: number }[]
  }
  assert.deepEqual([done.records, done.scored, done.error[0]?.count], [29, 26, 3])
  const file = await service.get(`${path}/files/results.ndjson`)
  const results = file.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { idx: number; risk: unknown })
  assert.deepEqual(
    results.map(({ idx }) => idx),
    all.map(({ idx }) => idx),
  )
  assert.deepEqual(
    results.filter(({ risk }) => risk === null).map(({ idx }) => idx),
    [1, 1, 3],
  )
  const errors = await service.get(`${path}/files/errors.ndjson`)
  assert.equal(errors.text.trim().split('\n').length, 3)
  // Each look at a job has a row, and on a busy machine there are many.
  const rows = await service.store.readAudit({ newestFirst: true, most: 1_000 })
  const said = rows.map(({ content }) => JSON.parse(content) as Record<string, unknown>)
  const calls = said.map(({ call }) => call)
  assert.deepEqual(
    calls.filter((call) => call === 'job submit' || call === 'job end' || call === 'job download').sort(),
    ['job download', 'job download', 'job end', 'job submit'],
  )
  const end = said.find(({ call }) => call === 'job end')
  assert.deepEqual([end?.['records'], end?.['scored']], [29, 26])
})

test('the scoring call with Prefer: respond-async makes a job; without jobs the header is ignored', async (t) => {
  const service = await serveJobs(t)
  const prefer = { prefer: 'handling=lenient, respond-async' }
  const answer = await service.post(records(1), { headers: prefer })
  assert.equal(answer.headers['preference-applied'], 'respond-async')
  assert.equal((await ended(service, addressOf(answer))).status, 200)
  const without = await serve()
  t.after(() => without.close())
  assert.equal((await without.post(records(1), { headers: prefer })).status, 200)
  assert.equal((await without.post(records(1), { path: JOBS })).status, 404)
})

test('an Idempotency-Key gives the same job again, and refuses another body', async (t) => {
  const service = await serveJobs(t)
  const headers = { ...NDJSON, 'idempotency-key': 'night 1' }
  const first = addressOf(await service.post(lines(records(2)), { path: JOBS, headers }))
  const again = addressOf(await service.post(lines(records(2)), { path: JOBS, headers }))
  assert.equal(again, first)
  const other = await service.post(lines(records(3)), { path: JOBS, headers })
  assert.deepEqual([other.status, (other.json() as { code: string }).code], [409, 'IDEMPOTENCY_KEY_REUSED'])
  const otherForm = addressOf(await service.post(lines(records(2)), { path: JOBS, headers: NDJSON }))
  assert.notEqual(otherForm, first)
})

test('a submission that is repeated after the key secret was replaced gives the same job', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-secrets-'))
  const before = await openStore(dataDir, 'a first secret of the tests of jobs', undefined, UNHURRIED)
  await before.store.close()
  const previousSecret = 'a first secret of the tests of jobs'
  const { store, secrets } = await openStore(dataDir, 'a second secret of the tests of jobs', undefined, {
    ...UNHURRIED,
    previousSecret,
  })
  t.after(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const made = await makeKey(store, secrets, { name: 'night', scopes: ['*'], expiresAt: null }, Date.now())
  const service = await serveJobs(t, {}, { service: { store, secrets } })
  const headers = { ...NDJSON, ...bearer(made.key), 'idempotency-key': 'night 1' }
  const submit = async (): Promise<string> =>
    addressOf(await service.post(lines(records(2)), { path: JOBS, headers }))
  const first = await submit()
  assert.notEqual(secrets.inUse, secrets.all[0])
  await store.replaceSecret(secrets.fingerprint, fingerprintOf(secrets.all[0] as Uint8Array))
  await secrets.refresh(store)
  assert.equal(secrets.inUse, secrets.all[0])
  assert.equal(await submit(), first)
})

test('only the key that submitted a job, and an admin of its deployment, see it', async (t) => {
  const service = await serveJobs(t)
  const path = addressOf(await service.post(lines(records(1)), { path: JOBS, headers: NDJSON }))
  await ended(service, path)
  const stranger = await service.makeKey({ name: 'other' })
  const admin = await service.makeKey({ name: 'admin', scopes: ['admin'] })
  for (const [key, status] of [
    [stranger, 404],
    [admin, 200],
  ] as const) {
    assert.equal((await service.get(path, bearer(key))).status, status)
    assert.equal((await service.get(`${path}/files/results.ndjson`, bearer(key))).status, status)
  }
  assert.equal((await service.call({ method: 'DELETE', path, headers: bearer(stranger) })).status, 404)
  // Of another deployment there is no such job either.
  assert.equal((await service.get(`/flag${path}`)).status, 404)
})

const REFUSED: readonly (readonly [string, string, string, number, string])[] = [
  ['an empty body', 'application/json', '', 400, 'BODY_MALFORMED'],
  ['no array', 'application/json', '{"idx":1}', 400, 'BODY_MALFORMED'],
  ['an array that is not closed', 'application/json', '[{"idx":1}', 400, 'BODY_MALFORMED'],
  ['another type', 'text/plain', 'x', 415, 'MEDIA_TYPE'],
  ['a table without DuckDB', 'text/csv', 'idx\n1\n', 415, 'MEDIA_TYPE'],
  ['one record more than allowed', 'application/x-ndjson', lines(records(4)), 413, 'TOO_MANY_RECORDS'],
  [
    'one byte more than allowed',
    'application/x-ndjson',
    `{"idx":1}${' '.repeat(1_016)}\n`,
    413,
    'BODY_TOO_LARGE',
  ],
]
for (const [name, type, body, status, code] of REFUSED) {
  test(`a job with ${name} is refused`, async (t) => {
    const service = await serveJobs(t, { records: 3, bytes: 1_025 })
    const answer = await service.post(body, { path: JOBS, headers: { 'content-type': type } })
    assert.deepEqual([answer.status, (answer.json() as { code: string }).code], [status, code])
    assert.deepEqual(readdirSync(service.folder), [])
  })
}

test('bodies at the limits are taken', async (t) => {
  const service = await serveJobs(t, { records: 3, bytes: 1_025 })
  const body = lines(records(3))
  assert.ok(body.length <= 1_025)
  const padded = body.padEnd(1_024, ' ') + '\n'
  addressOf(await service.post(padded, { path: JOBS, headers: NDJSON }))
})

test('an element that is not JSON fails the job, and says which', async (t) => {
  const service = await serveJobs(t)
  const body = `[${JSON.stringify(records(1)[0])},\n{"idx":2,}]`
  const done = await ended(service, addressOf(await service.post(body, { path: JOBS })))
  const { state, code, reason } = done.json() as Record<string, string>
  assert.deepEqual([done.status, state, code], [200, 'failed', 'BODY_MALFORMED'])
  assert.match(reason ?? '', /^Element 1 of the array/)
})

test('a key has room for so many jobs; a deleted one makes room', async (t) => {
  const service = await serveJobs(t, { jobsPerKey: 2 })
  const submit = (): Promise<Answer> => service.post(lines(records(1)), { path: JOBS, headers: NDJSON })
  const first = addressOf(await submit())
  addressOf(await submit())
  const third = await submit()
  assert.deepEqual([third.status, (third.json() as { code: string }).code], [429, 'TOO_MANY_JOBS'])
  await ended(service, first)
  await service.call({ method: 'DELETE', path: first, headers: bearer(service.key) })
  addressOf(await submit())
})

test('results are gone when their time is over', async (t) => {
  const service = await serveJobs(t, { keepHours: 1 })
  const path = addressOf(await service.post(lines(records(1)), { path: JOBS, headers: NDJSON }))
  await ended(service, path)
  service.clock.advance(3_600_000 - 1)
  assert.equal((await service.get(path)).status, 200)
  service.clock.advance(1)
  assert.equal((await service.get(path)).status, 404)
  await until(() => readdirSync(service.folder).length === 0)
})
