/** A shadow model scores the same records after the answer, and only counts how the two differ. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Deployment, type ShadowModel, makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { Shadow } from '@patient-risk/monitor'
import { PROCESS_HOST } from '../../../src/http/scoring/process-host.ts'
import { merge } from '../../../src/metrics/snapshot.ts'
import { readmissionRecord } from '../../../../../test/support/records.ts'
import { SCORE, serve, testCatalog } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'

const TODAY = 20260101
const FIRST = { name: 'ward', basePath: '/', model: 'readmission30', output: 'number' } as const
const LACE = { acuteAdmission: true, laceCharlson_total: 3 }
const catalog = testCatalog()

interface Report extends Readonly<Record<string, unknown>> {
  readonly records: number
  readonly both: number
  readonly onlyAnswer: number
  readonly onlyShadow: number
  readonly neither: number
  readonly droppedBodies: number
  readonly meanDifference: number | null
  readonly differences: readonly {
    readonly from: number | null
    readonly to: number | null
    readonly records: number
  }[]
  readonly thresholds: readonly Readonly<Record<'threshold' | 'below' | 'up' | 'down' | 'above', number>>[]
}

function deploy(
  shadow: NonNullable<DeploymentSettings['shadow']>,
): Deployment & { readonly shadow: ShadowModel } {
  const { deployments, faults } = makeDeployments(catalog, [{ ...FIRST, shadow }])
  assert.deepEqual(faults, [])
  return deployments[0] as Deployment & { readonly shadow: ShadowModel }
}

const reportOf = (shadow: Shadow, counts?: readonly number[]): Report => shadow.report(counts) as Report
const record = (idx: number, age: number, more: object = {}): object => ({
  ...readmissionRecord(idx, age),
  ...more,
})

test('the table, the differences and the shares agree with the two models, record by record', async () => {
  const deployment = deploy({ model: 'lace', budgetMs: 1_000 })
  const shadow = new Shadow(deployment, deployment.shadow, PROCESS_HOST)
  const records = Array.from({ length: 60 }, (_each, idx) =>
    record(idx, 40 + idx, idx % 3 === 0 ? {} : { ...LACE, stayDays: idx % 20, edVisits6Months: idx % 4 }),
  )
  records.push({ idx: 99 }, record(100, 130, LACE))
  const body = shadow.take(Buffer.from(JSON.stringify(records)))
  assert.ok(body)
  shadow.add(body, TODAY)
  await until(() => reportOf(shadow).records === records.length)
  const risks = records.map((each) =>
    [deployment.scorer, deployment.shadow.scorer].map((scorer) => {
      const { blocked, risk } = scorer.assess(each, TODAY)
      return blocked ? undefined : risk
    }),
  ) as [number | undefined, number | undefined][]
  const report = reportOf(shadow)
  const both = risks.filter(([one, other]) => one !== undefined && other !== undefined) as [number, number][]
  assert.ok(both.length > 20 && both.length < records.length)
  assert.equal(report.both, both.length)
  assert.equal(
    report.onlyAnswer,
    risks.filter(([one, other]) => one !== undefined && other === undefined).length,
  )
  assert.equal(
    report.onlyShadow,
    risks.filter(([one, other]) => one === undefined && other !== undefined).length,
  )
  assert.equal(report.neither, risks.filter((pair) => pair.every((each) => each === undefined)).length)
  const mean = both.reduce((sum, [one, other]) => sum + other - one, 0) / both.length
  assert.ok(Math.abs((report.meanDifference ?? 9) - mean) < 1e-9)
  assert.equal(
    report.differences.reduce((sum, each) => sum + each.records, 0),
    both.length,
  )
  for (const { from, to, records: count } of report.differences) {
    const rounded = both.map(([one, other]) => Math.round((other - one) * 10_000) / 10_000)
    assert.equal(count, rounded.filter((each) => each >= (from ?? -9) && each < (to ?? 9)).length)
  }
  for (const { threshold, below, up, down, above } of report.thresholds) {
    const counted = (isOne: boolean, isOther: boolean): number =>
      both.filter(([one, other]) => one >= threshold === isOne && other >= threshold === isOther).length
    assert.deepEqual(
      [below, up, down, above],
      [counted(false, false), counted(false, true), counted(true, false), counted(true, true)],
    )
  }
  assert.ok(report.thresholds.some(({ threshold }) => threshold === 0.15))
})

test('the same model as its own shadow never differs', async () => {
  const deployment = deploy({ model: 'readmission30', budgetMs: 1_000 })
  const shadow = new Shadow(deployment, deployment.shadow, PROCESS_HOST)
  shadow.add(JSON.stringify([record(1, 80), record(2, 50)]), TODAY)
  await until(() => reportOf(shadow).records === 2)
  const { both, meanDifference, thresholds } = reportOf(shadow)
  assert.deepEqual([both, meanDifference], [2, 0])
  assert.ok(thresholds.every(({ up, down }) => up === 0 && down === 0))
})

test('a share of the bodies, single records of a large one, and no more than may wait', () => {
  const deployment = deploy({ model: 'lace', share: 0.25 })
  let drawn = 0
  const shadow = new Shadow(deployment, deployment.shadow, {
    ...PROCESS_HOST,
    random: () => (drawn = (drawn + 0.1) % 1),
  })
  const body = Buffer.from(JSON.stringify([record(1, 80)]))
  const taken = Array.from({ length: 100 }, () => shadow.take(body)).filter((each) => each !== undefined)
  assert.equal(taken.length, 20)
  const all = deploy({ model: 'lace' })
  const busy = new Shadow(all, all.shadow, PROCESS_HOST)
  const large = Buffer.from(JSON.stringify(Array.from({ length: 10_000 }, (_each, idx) => record(idx, 60))))
  const some = JSON.parse(busy.take(large) ?? '') as { idx: number }[]
  assert.ok(some.length > 10 && some.length <= 128)
  assert.ok(Math.max(...some.map(({ idx }) => idx)) > 5_000)
  const ward = Buffer.from(JSON.stringify(Array.from({ length: 100 }, (_each, idx) => record(idx, 60))))
  for (let count = 0; count < 13; count++) {
    const text = busy.take(ward)
    if (text !== undefined) busy.add(text, TODAY)
  }
  assert.equal(reportOf(busy).droppedBodies, 3)
})

test('within its budget: at 1 ms a second most of 3,000 records wait', async () => {
  const deployment = deploy({ model: 'lace', budgetMs: 1 })
  const shadow = new Shadow(deployment, deployment.shadow, PROCESS_HOST)
  const text = JSON.stringify(Array.from({ length: 100 }, (_each, idx) => record(idx, 60)))
  for (let count = 0; count < 30; count++) shadow.add(text, TODAY)
  const before = process.cpuUsage()
  const start = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const seconds = (performance.now() - start) / 1_000
  const { user } = process.cpuUsage(before)
  assert.ok(reportOf(shadow).records < 3_000, 'the budget ends before the records')
  assert.ok(user < 250_000 * seconds, `${user} µs of processor time`)
})

test('answers, digests and audit rows are the same with a shadow; the call gives the counts of all processes', async () => {
  const shadowed = await serve({ deployments: [{ ...FIRST, shadow: { model: 'lace', budgetMs: 1_000 } }] })
  const plain = await serve({ deployments: [FIRST] })
  try {
    const admin = { authorization: `Bearer ${await shadowed.makeKey({ scopes: ['*', 'admin'] })}` }
    const records = [record(1, 80, LACE), record(2, 60)]
    const [one, other] = [await shadowed.post(records), await plain.post(records)]
    assert.equal(one.text, other.text)
    assert.equal(one.headers['risk-deployment-digest'], other.headers['risk-deployment-digest'])
    await until(async () => {
      const { records: seen } = (await shadowed.get(`${SCORE}/shadow`, admin)).json() as Report
      return seen === 2
    })
    const { rows } = (await shadowed.get('/admin/audit?calls=scoring', admin)).json() as { rows: unknown[] }
    assert.equal(rows.length, 1)
    const outcomes = { authorization: `Bearer ${await shadowed.makeKey({ scopes: ['*', 'outcomes'] })}` }
    assert.equal((await shadowed.get(`${SCORE}/shadow`, outcomes)).status, 200)
    const mine = { authorization: `Bearer ${shadowed.key}` }
    assert.equal((await shadowed.get(`${SCORE}/shadow`, mine)).status, 403)
    assert.equal((await plain.get(`${SCORE}/shadow`, { authorization: `Bearer ${plain.key}` })).status, 404)
  } finally {
    await shadowed.close()
    await plain.close()
  }
})

test('the counts of several processes are added up', async () => {
  const { shadow } = await merge([
    { metrics: [], drift: {}, shadow: { ward: [2, 1] } },
    { metrics: [], drift: {}, shadow: { ward: [3, 1] } },
    { metrics: [], drift: {} },
  ])
  assert.deepEqual(shadow, { ward: [5, 2] })
})

test('a shadow that does not exist is a fault of the configuration', () => {
  const { faults } = makeDeployments(catalog, [{ ...FIRST, shadow: { model: 'nobody' } }])
  assert.deepEqual(
    faults.map(({ path, message }) => [path, message.slice(0, 24)]),
    [['/deployments/0/shadow/model', 'there is no model nobody']],
  )
})

test('questions about the shadow count as requests of the key', async (t) => {
  const limits = { requestsPerMinute: 2 }
  const served = await serve({ deployments: [{ ...FIRST, shadow: { model: 'lace' }, limits }] })
  t.after(() => served.close())
  const headers = { authorization: `Bearer ${await served.makeKey({ scopes: ['*', 'outcomes'] })}` }
  const ask = async (): Promise<number> => (await served.get(`${SCORE}/shadow`, headers)).status
  assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429])
})
