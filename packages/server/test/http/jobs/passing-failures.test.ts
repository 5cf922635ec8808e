/** What stops a job for a while does not end it, and does not stop the jobs of others. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { AppError } from '@patient-risk/runtime'
import { JobFolder } from '@patient-risk/server'
import { until } from '../../../../../test/support/until.ts'
import { JOBS, NDJSON, addressOf, bearer, ended, lines, records, serveJobs } from './serve-jobs.ts'

/** More than a job may be begun without coming further. */
const FULL_TIMES = 12
/** Failures of the service. */
const PASSING = ['WORKER_LOST', 'OVERLOADED', 'DRAINING', 'STORE_UNAVAILABLE', 'AUDIT_UNAVAILABLE'] as const

/** While the function says so, no results can be written. */
function fillDisk(t: TestContext, isFull: () => boolean): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- It is called with the folder below.
  const { write } = JobFolder.prototype
  t.mock.method(JobFolder.prototype, 'write', function (this: JobFolder, ...args: Parameters<typeof write>) {
    if (!args[1].startsWith('out-') || !isFull()) return write.apply(this, args)
    return Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
  })
}

test('a disk that is full for a while fails no job that was taken', async (t) => {
  const service = await serveJobs(t)
  let refused = 0
  fillDisk(t, () => refused++ < FULL_TIMES)
  const path = addressOf(await service.post(lines(records(2)), { path: JOBS, headers: NDJSON }))
  const done = (await ended(service, path)).json() as { readonly state: string; readonly scored: number }
  assert.deepEqual([done.state, done.scored, refused], ['done', 2, FULL_TIMES + 1])
  assert.match(service.logText(), /"event":"jobs-disk".*"code":"ENOSPC"/)
})

/** The results cannot be written once · whether the job goes on. */
const FAILURES: readonly (readonly [Error, boolean])[] = [
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].map((code) => [failureOf(code), true] as const),
  ...['EIO', 'EINVAL'].map((code) => [failureOf(code), false] as const),
  ...PASSING.map((code) => [new AppError(code), true] as const),
  [new AppError('BODY_MALFORMED'), false],
  [new AppError('KEY_INVALID'), false],
]

function failureOf(code: string): Error {
  return Object.assign(new Error('not written'), { code })
}

test('what passes is tried again, and what does not ends the job', async (t) => {
  const service = await serveJobs(t)
  // eslint-disable-next-line @typescript-eslint/unbound-method -- It is called with the folder below.
  const { write } = JobFolder.prototype
  let failure: Error | undefined
  t.mock.method(JobFolder.prototype, 'write', function (this: JobFolder, ...args: Parameters<typeof write>) {
    if (failure === undefined || !args[1].startsWith('out-')) return write.apply(this, args)
    const thrown = failure
    failure = undefined
    return Promise.reject(thrown)
  })
  for (const [given, goesOn] of FAILURES) {
    failure = given
    const path = addressOf(await service.post(lines(records(1)), { path: JOBS, headers: NDJSON }))
    const { state } = (await ended(service, path)).json() as { readonly state: string }
    assert.equal(state, goesOn ? 'done' : 'failed', (given as { code?: string }).code)
  }
})

test('a job ends with its key, and its body is erased', async (t) => {
  const service = await serveJobs(t)
  fillDisk(t, () => true)
  const admin = await service.makeKey({ name: 'admin', scopes: ['admin'] })
  const key = await service.makeKey({ name: 'short' })
  const headers = { ...NDJSON, ...bearer(key) }
  const path = addressOf(await service.post(lines(records(2)), { path: JOBS, headers }))
  assert.equal((await service.get(path, bearer(admin))).status, 202)
  const address = `/admin/keys/${key.split('_')[1] ?? ''}/revoke`
  assert.equal((await service.post('{}', { path: address, headers: bearer(admin) })).status, 200)
  await until(async () => (await service.get(path, bearer(admin))).status === 200)
  const answer = (await service.get(path, bearer(admin))).json() as Readonly<Record<string, string>>
  assert.deepEqual([answer['state'], answer['code']], ['failed', 'KEY_INVALID'])
  await until(() => readdirSync(service.folder).length === 0)
})

test('a full disk refuses a new job with 503, and leaves nothing of it', async (t) => {
  const service = await serveJobs(t)
  t.mock.method(JobFolder.prototype, 'write', () =>
    Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
  )
  const answer = await service.post(lines(records(2)), { path: JOBS, headers: NDJSON })
  assert.equal(answer.status, 503)
  assert.ok(Number(answer.headers['retry-after']) > 0)
})

test('a job that waits for records of its key lets those of other keys go first', async (t) => {
  const service = await serveJobs(t)
  const slow = await service.makeKey({ name: 'slow', limits: { recordsPerMinute: 20 } })
  const headers = { ...NDJSON, ...bearer(slow) }
  const waiting = addressOf(await service.post(lines(records(30)), { path: JOBS, headers }))
  const other = addressOf(await service.post(lines(records(30)), { path: JOBS, headers: NDJSON }))
  assert.equal((await ended(service, other)).status, 200)
  const progress = await service.get(waiting, bearer(slow))
  assert.equal(progress.status, 202)
  // It can be deleted meanwhile.
  assert.equal((await service.call({ method: 'DELETE', path: waiting, headers: bearer(slow) })).status, 202)
})
