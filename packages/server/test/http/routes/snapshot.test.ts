/** Metrics of several processes as one: what is added up, what is not, and what is shown when they do not come. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import { DriftWatch, RecordCollector } from '@patient-risk/monitor'
import { Metrics } from '../../../src/metrics/metrics.ts'
import { type Peers, type Snapshot, merge } from '../../../src/metrics/snapshot.ts'
import { serve, testCatalog } from '../../../../../test/support/serve.ts'
import { testBoard } from '../scoring/test-board.ts'

const catalog = testCatalog()
const { deployments } = makeDeployments(catalog, [
  { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
])
const deployment = deployments[0] as Deployment
const { board } = await testBoard()
/** Records of one age, as they are taken from a body. */
function records(age: number, count: number): readonly number[] {
  const collector = new RecordCollector({
    definitions: catalog.definitions,
    model: deployment.model.definition,
  })
  const body = Array.from({ length: count }, (_each, idx) => ({ idx, age, sex: 'F', stayDays: 3 }))
  deployment.scorer.score(Buffer.from(JSON.stringify(body)), 20260101, undefined, { watch: collector })
  return collector.taken()?.places ?? []
}

/** The metrics of a process in a given state, as another process receives them. */
async function snapshotOf(delayMs: number, connections: number, drift: DriftWatch): Promise<Snapshot> {
  const metrics = new Metrics([])
  const load = { requests: 1, bytes: 10, delayMs, shed: { memory: 2 } }
  metrics.watch(load, { count: connections, total: 100, evicted: 1, refused: 0 }, drift, [])
  return JSON.parse(JSON.stringify(await metrics.snapshot())) as Snapshot
}

test('gauges are summed, except the event-loop delay, where the largest counts', async () => {
  const watch = new DriftWatch(catalog, [], board)
  const all = await merge([await snapshotOf(5, 7, watch), await snapshotOf(2_000, 4, watch)])
  const lines = (await new Metrics([]).print(all)).split('\n')
  for (const line of [
    'patient_risk_requests_in_flight 2',
    'patient_risk_body_bytes_in_flight 20',
    'patient_risk_event_loop_delay_seconds 2',
    'patient_risk_connections 11',
    'patient_risk_connections_limit 200',
    'patient_risk_connections_evicted 2',
    'patient_risk_shed{reason="memory"} 4',
  ]) {
    assert.ok(lines.includes(line), line)
  }
})

/** A caller may send any method, and a label for each would fill the memory. */
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH', 'PROPFIND', 'get']

for (const method of METHODS) {
  test(`requests with ${method} are counted`, async () => {
    const metrics = new Metrics([])
    metrics.count({ deployment: 'none', route: '/x', method, status: 200, code: '', seconds: 0.01 })
    const text = await metrics.print()
    const label = /^patient_risk_requests_total\{.*method="([^"]*)".*\} 1$/m.exec(text)?.[1]
    assert.equal(label, METHODS.indexOf(method) < 7 ? method : 'unknown')
  })
}

test('drift is worked out from the counts of all processes, not from their indices', async () => {
  const makeWatch = (): DriftWatch => new DriftWatch(catalog, [deployment], board)
  const one = makeWatch()
  const two = makeWatch()
  const both = makeWatch()
  // Neither has enough records for an index of its own.
  for (const watch of [one, both]) watch.count('readmission', records(30, 150))
  for (const watch of [two, both]) watch.count('readmission', records(90, 120))
  const { drift } = await merge([await snapshotOf(0, 0, one), await snapshotOf(0, 0, two)])
  const [[, sum] = ['', undefined]] = one.drifts(drift)
  assert.equal(sum?.records, 270)
  assert.deepEqual(one.drifts(drift), both.drifts())
  assert.ok(sum.inputs.some(({ index }) => index > 0.25))
})

test('/metrics shows all processes together, and is 503 when they do not respond', async () => {
  const offered: (() => Promise<Snapshot>)[] = []
  let isSilent = false
  const peers: Peers = {
    offer: (read) => void offered.push(read),
    async collect() {
      if (isSilent) throw new Error('silent')
      return merge(await Promise.all([...offered, ...offered].map((read) => read())))
    },
  }
  const service = await serve({ service: { peers } })
  try {
    await service.get('/health/live')
    const { status, text } = await service.get('/metrics')
    assert.equal(status, 200)
    assert.match(text, /^patient_risk_requests_total\{.*route="\/health\/live".*\} 2$/m)
    assert.match(text, /^patient_risk_drift_records\{deployment="readmission"\} 0$/m)
    isSilent = true
    assert.equal((await service.get('/metrics')).status, 503)
  } finally {
    await service.close()
  }
})
