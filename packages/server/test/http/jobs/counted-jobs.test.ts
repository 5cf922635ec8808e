/** Risks of jobs are counted as those of the scoring call are: once, when the job is done. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type DeploymentSettings, jobSettings } from '@patient-risk/catalog/config'
import type { ScoredCount } from '@patient-risk/monitor'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }
const outcomes = { horizonDays: 30, eta: 1, groups: ['ward 3'] }
const readmission: DeploymentSettings = {
  ...{ name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  outcomes,
}
const flag: DeploymentSettings = {
  ...readmission,
  name: 'flag',
  basePath: '/flag',
  output: 'yes-no',
  threshold: 0.15,
}
const RECORD = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
/** Two have the same idx, in pieces far apart, and one has no risk. */
const records = [
  { idx: 1, ...RECORD },
  ...Array.from({ length: 30 }, (_each, place) => ({
    ...{ idx: 10 + place, ...RECORD, age: 40 + place, note: 'x'.repeat(100_000) },
  })),
  { idx: 2, ...RECORD, age: 999 },
  { idx: 1, ...RECORD },
]
const lines = records.map((each) => `${JSON.stringify(each)}\n`).join('')

async function serveJobs(t: TestContext): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-jobs-'))
  const settings = jobSettings({ folder })
  const served = await serve({
    deployments: [readmission, flag],
    service: { jobs: { settings, worker: { pollMs: 20, keepEveryMs: 0 } } },
  })
  t.after(async () => {
    await served.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return served
}

const countsOf = async (
  served: Served,
  base = '',
  name = 'readmission',
  group?: string,
): Promise<readonly ScoredCount[]> => {
  await served.store.chainEnds()
  const card = (await served.get(`${base}${SCORE}/model`)).json() as { deployment: { digest: string } }
  const digest = card.deployment.digest.slice(9, -1)
  const cells = await served.store.readScoredRisks(name, digest, ['', '9999-12'], ['bin'], group)
  return cells.map((cell) => ({ ...cell })).sort((one, other) => (one.bin ?? 0) - (other.bin ?? 0))
}

async function done(served: Served, answer: Answer): Promise<void> {
  assert.equal(answer.status, 202, answer.text)
  const path = String(answer.headers['content-location'])
  await until(async () => (await served.get(path)).status === 200)
}

for (const [name, base] of [
  ['readmission', ''],
  ['flag', '/flag'],
] as const) {
  test(`${name}: a job counts what the scoring call counts, by group, without repeated identifiers`, async (t) => {
    const served = await serveJobs(t)
    const path = `${base}${SCORE}`
    // The same records in one array: the scoring call sees the repeated idx at once.
    await served.post(records, { path })
    const ofCall = await countsOf(served, base, name)
    assert.equal(
      ofCall.reduce((sum, { number }) => sum + number, 0),
      30,
    )
    const headers = { ...NDJSON, 'risk-group': 'ward%203' }
    await done(served, await served.post(lines, { path: `${path}/jobs`, headers }))
    assert.deepEqual(await countsOf(served, base, name, 'ward 3'), ofCall)
    const prefer = { ...NDJSON, prefer: 'respond-async', 'risk-group': 'ward 3' }
    await done(served, await served.post(lines, { path, headers: prefer }))
    const twice = ofCall.map(({ bin, number, units }) => ({ bin, number: 2 * number, units: 2 * units }))
    assert.deepEqual(
      (await countsOf(served, base, name, 'ward 3')).map(({ bin, number, units }) => ({
        bin,
        number,
        units,
      })),
      twice,
    )
    assert.deepEqual((await verifyStore(served.store)).faults, [])
  })
}

test('the same body for another group is another request', async (t) => {
  const served = await serveJobs(t)
  const submit = (more: object): Promise<Answer> => {
    const headers = { ...NDJSON, 'idempotency-key': 'night', ...more }
    return served.post(lines, { path: `${SCORE}/jobs`, headers })
  }
  const first = await submit({ 'risk-group': 'ward 3' })
  await done(served, first)
  const again = await submit({ 'risk-group': 'ward 3' })
  assert.equal(again.headers['content-location'], first.headers['content-location'])
  for (const other of [{}, { 'risk-outcomes': 'no' }]) assert.equal((await submit(other)).status, 409)
})

test('a job of which no outcome will come is not counted, and a job has no receipts', async (t) => {
  const served = await serveJobs(t)
  const path = `${SCORE}/jobs`
  await done(served, await served.post(lines, { path, headers: { ...NDJSON, 'risk-outcomes': 'no' } }))
  assert.deepEqual(await countsOf(served), [])
  const unknown = await served.post(lines, { path, headers: { ...NDJSON, 'risk-group': 'ward 9' } })
  assert.equal(unknown.status, 400)
  const asked = [`${path}?receipts=true`, `${SCORE}?receipts=true`]
  for (const each of asked) {
    const answer = await served.post(lines, { path: each, headers: { ...NDJSON, prefer: 'respond-async' } })
    assert.equal(answer.status, 400, each)
    assert.match(answer.text, /A job gives no receipts/)
  }
})
