/** Alarms of units and drift: header, metric, admin call and store say the same, until somebody has looked at them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import { type Alarm, DriftWatch, RecordCollector, watchUnits } from '@patient-risk/monitor'
import { randomFrom } from '@patient-risk/statistics'
import { readmissionRecord } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve, testCatalog } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'
import { testBoard } from './test-board.ts'

const PROFUND = { name: 'mortality', basePath: '/', model: 'profund', output: 'number' } as const
const DOUBT = 'haemoglobin;received="g/dL";likely="mmol/L"'

function patients(count: number, factor = 1, seed = 1): object[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_each, idx) => ({
    ...readmissionRecord(idx, 80),
    caregiver: 'spouse',
    activeNeoplasia: false,
    barthel_total: 60,
    haemoglobin: Math.round((10 + 6 * random()) * factor * 10) / 10,
  }))
}

async function raisedIn(service: Served): Promise<readonly Alarm[]> {
  const admin = await service.makeKey({ scopes: ['*', 'admin'] })
  return (await service.get('/admin/alarms', { authorization: `Bearer ${admin}` })).json() as Alarm[]
}

test('10,000 right values, then another unit: noticed within 200 records, for this key alone, in every place', async () => {
  const service = await serve({ deployments: [PROFUND] })
  try {
    const other = await service.makeKey()
    assert.equal((await service.post(patients(10_000))).headers['risk-unit-doubt'], undefined)
    let records = 0
    let doubt: unknown
    while (doubt === undefined && records < 1_000) {
      doubt = (await service.post(patients(1, 0.6206, ++records))).headers['risk-unit-doubt']
    }
    assert.equal(doubt, DOUBT)
    assert.ok(records <= 200, `${records} records`)
    const others = { headers: { authorization: `Bearer ${other}` } }
    assert.equal((await service.post(patients(20), others)).headers['risk-unit-doubt'], undefined)
    // Right values do not end it: somebody must look at what was sent meanwhile.
    assert.equal((await service.post(patients(500))).headers['risk-unit-doubt'], DOUBT)
    const explained = await service.post(patients(1), { path: `${SCORE}/explain` })
    assert.equal(explained.headers['risk-unit-doubt'], DOUBT)
    const keyId = service.key.split('_')[1] ?? ''
    const { text } = await service.get('/metrics')
    const labels = `deployment="mortality",key="${keyId}",field="haemoglobin",received="g/dL",likely="mmol/L"`
    assert.ok(text.includes(`patient_risk_unit_doubt{${labels}} 1`))
    const ofField = (await raisedIn(service)).filter(({ field }) => field === 'haemoglobin')
    const [alarm, ...more] = ofField
    assert.deepEqual(more, [])
    const about = { kind: 'unit', deployment: 'mortality', keyId, field: 'haemoglobin', basis: 'g/dL' }
    assert.deepEqual(alarm, {
      ...about,
      likely: 'mmol/L',
      reference: 'history',
      since: new Date(service.clock.now()).toISOString(),
    })
    assert.ok(service.logLines().some(({ event, key }) => event === 'unit-doubt' && key === keyId))
  } finally {
    await service.close()
  }
})

test('a stream counts too', async () => {
  const service = await serve({ deployments: [PROFUND], isOverSocket: true })
  const headers = { 'content-type': 'application/x-ndjson' }
  const lines = (factor: number): string =>
    patients(400, factor)
      .map((each) => `${JSON.stringify(each)}\n`)
      .join('')
  try {
    assert.equal((await service.post(lines(0.6206), { headers })).headers['risk-unit-doubt'], undefined)
    assert.equal((await service.post(lines(1), { headers })).headers['risk-unit-doubt'], DOUBT)
  } finally {
    await service.close()
  }
})

/** What an operator does · whether values in mmol/L raise an alarm again. */
const SETTLED = [
  ['acknowledged', true],
  ['confirmed', false],
] as const
for (const [state, isRaisedAgain] of SETTLED) {
  test(`an alarm lasts over a restart and ends when it is ${state}; then the test begins again`, async () => {
    const catalog = testCatalog()
    const { deployments } = makeDeployments(catalog, [PROFUND])
    const first = await testBoard()
    const values = (count: number): number[][] => [new Array<number>(count).fill(7.5), []]
    const watch = watchUnits(catalog, deployments, first.board).get('mortality')
    watch?.count('key', values(200))
    assert.equal(watch?.doubt('key'), DOUBT)
    await until(async () => (await first.store.readAlarms()).length === 1)
    const { board, store } = await testBoard(first.store)
    const restarted = watchUnits(catalog, deployments, board).get('mortality')
    assert.ok(restarted)
    await board.refresh()
    assert.equal(restarted.doubt('key'), DOUBT)
    assert.equal(restarted.doubt('other'), undefined)
    const [raised] = await store.readAlarms()
    await store.writeAlarm({ ...(raised as Alarm), state, at: Date.now() })
    await board.refresh()
    assert.equal(restarted.doubt('key'), undefined)
    restarted.count('key', values(60))
    assert.equal(restarted.doubt('key'), undefined, 'it begins from nothing')
    restarted.count('key', values(1_000))
    assert.equal(restarted.doubt('key'), isRaisedAgain ? DOUBT : undefined)
  })
}

test('an alarm about a unit that the deployment no longer receives is void', async () => {
  const catalog = testCatalog()
  const { board, store } = await testBoard()
  const watch = watchUnits(catalog, makeDeployments(catalog, [PROFUND]).deployments, board).get('mortality')
  watch?.count('key', [new Array<number>(200).fill(7.5), []])
  await until(async () => (await store.readAlarms()).length === 1)
  const declared = { ...PROFUND, units: { haemoglobin: 'mmol/L' } }
  const next = await testBoard(store)
  const after = watchUnits(catalog, makeDeployments(catalog, [declared]).deployments, next.board)
  await next.board.refresh()
  assert.deepEqual(await next.board.raised(), [])
  assert.equal(after.get('mortality')?.doubt('key'), undefined)
})

test('drift: an alarm when the records have moved, which ends when it is acknowledged', async () => {
  const catalog = testCatalog()
  const { deployments } = makeDeployments(catalog, [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  ])
  const { board, store, clock } = await testBoard()
  const watch = new DriftWatch(catalog, deployments, board)
  const [deployment] = deployments
  assert.ok(deployment)
  const { definition: model } = deployment.model
  const collector = new RecordCollector({ definitions: catalog.definitions, model })
  const placesOf = (count: number): readonly number[] => {
    const body = Array.from({ length: count }, (_each, idx) => readmissionRecord(idx, 95))
    deployment.scorer.score(Buffer.from(JSON.stringify(body)), 20260101, undefined, { watch: collector })
    return collector.taken()?.places ?? []
  }
  watch.count('readmission', placesOf(300))
  const fields = async (): Promise<readonly string[]> => (await watch.alarms()).map(({ field }) => field)
  assert.ok((await fields()).includes('age'))
  assert.equal((await store.readAlarms()).length, (await fields()).length)
  clock.advance(1_000)
  for (const alarm of await store.readAlarms())
    await store.writeAlarm({ ...alarm, state: 'acknowledged', at: clock.now() })
  assert.deepEqual(await fields(), [])
  watch.count('readmission', placesOf(5))
  assert.deepEqual(await fields(), [], 'it begins from nothing')
  watch.count('readmission', placesOf(300))
  assert.ok((await fields()).includes('age'))
})

test('an administrator of other deployments does not see the alarm', async () => {
  const service = await serve({ deployments: [PROFUND, { ...PROFUND, name: 'second', basePath: '/second' }] })
  try {
    await service.post(patients(300, 0.6206))
    const limited = await service.makeKey({ scopes: ['second', 'admin'] })
    assert.ok((await raisedIn(service)).some(({ kind }) => kind === 'unit'))
    const { text } = await service.get('/admin/alarms', { authorization: `Bearer ${limited}` })
    assert.equal(text, '[]')
  } finally {
    await service.close()
  }
})
