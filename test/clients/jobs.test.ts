/** The clients submit, wait, download and delete, against a service with jobs. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { jobSettings } from '@patient-risk/catalog/config'
import { JobFailedError, RiskClient, RiskServiceError } from '../../clients/typescript/src/client.ts'
import { type Served, serve } from '../support/serve.ts'

const RECORD = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const run = promisify(execFile)
const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
)

const hasR = await run('Rscript', [
  '-e',
  'stopifnot(requireNamespace("curl"), requireNamespace("jsonlite"))',
]).then(
  () => true,
  () => false,
)

async function serveJobs(t: TestContext): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-jobs-'))
  const jobs = { settings: jobSettings({ folder }), worker: { pollMs: 20 } }
  const service = await serve({ service: { jobs } })
  t.after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return service
}

test('the TypeScript client submits, waits, downloads and deletes', async (t) => {
  const { origin: url, key } = await serveJobs(t)
  let lost = 1
  // The answer to the first submission is lost: the second one gives the same job.
  const flaky: typeof fetch = async (...given) => {
    const response = await fetch(...given)
    if (lost-- > 0) throw new TypeError('the connection was lost')
    return response
  }
  const client = new RiskClient({ url, key, output: 'number', fetch: flaky })
  const records = Array.from({ length: 5 }, (_each, idx) => ({ idx, ...RECORD }))
  const job = await client.submit(records, { idempotencyKey: 'night 1' })
  assert.equal(await client.submit(records, { idempotencyKey: 'night 1' }), job)
  const done = await client.wait(job, { onProgress: ({ total }) => assert.equal(total, 5) })
  assert.deepEqual([done.records, done.scored], [5, 5])
  const file = await client.download(job, done.output[0]?.url ?? '')
  assert.equal((await file.text()).trim().split('\n').length, 5)
  await client.deleteJob(job)
  await client.deleteJob(job)
  await assert.rejects(client.wait(job), RiskServiceError)
  const bad = await client.submit({ body: '[{"idx":1,}]', type: 'application/json' })
  await assert.rejects(client.wait(bad), JobFailedError)
})

for (const [status, isRepeated] of [
  [429, true],
  [500, false],
  [501, false],
  [502, true],
  [503, true],
  [504, true],
] as const) {
  test(`a step of a job that is answered with ${status} is ${isRepeated ? 'repeated' : 'a failure'}`, async () => {
    let steps = 0
    const busyOnce: typeof fetch = () => {
      steps++
      const given = steps === 1 ? new Response('', { status }) : Response.json({ state: 'done' })
      return Promise.resolve(given)
    }
    const client = new RiskClient({ url: 'http://127.0.0.1', key: 'k', output: 'number', fetch: busyOnce })
    const done = client.wait('http://127.0.0.1/jobs/a')
    if (isRepeated) await done
    else await assert.rejects(done, RiskServiceError)
    assert.equal(steps, isRepeated ? 2 : 1)
  })
}

test('the Python client does the same', { skip: hasPython ? false : 'needs Python 3' }, async (t) => {
  const { origin, key } = await serveJobs(t)
  const env = { ...process.env, PYTHONPATH: 'clients/python', PYTHONDONTWRITEBYTECODE: '1' }
  await run('python3', ['test/clients/use_jobs.py', origin, key], { env })
})

test('the R client does the same', { skip: hasR ? false : 'needs R with curl and jsonlite' }, async (t) => {
  const { origin, key } = await serveJobs(t)
  await run('Rscript', ['test/clients/use_jobs.R', origin, key])
})
