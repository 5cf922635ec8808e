/** Figures count what happened, under names that the service knows itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeClient } from '../../../src/store/store-client.ts'
import { SCORE, serve } from '../../../../../test/support/serve.ts'
import { entry } from '../../store/memory-store.ts'

test('requests, records, problems and the store are counted, and a caller’s words are not', async () => {
  const served = await serve({
    deployments: [
      {
        name: 'readmission',
        basePath: '/',
        model: 'readmission30',
        output: 'number',
        unknownFields: 'report',
      },
    ],
  })
  const good = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
  await served.post([good, { ...good, idx: 2, age: 999 }, { ...good, idx: 3, 'Canary Name': 1 }, 7])
  await served.post('[')
  await served.call({ path: '/Canary?Canary=1', method: 'GET' })
  await served.call({ path: '/health/live', method: 'PROPFIND' })
  const { text } = await served.get('/metrics')
  const has = (line: string): void => assert.ok(text.split('\n').includes(line), `${line}\n${text}`)
  const at = `deployment="readmission"`
  has(`patient_risk_requests_total{${at},route="${SCORE}",method="POST",status="200",code=""} 1`)
  has(
    `patient_risk_requests_total{${at},route="${SCORE}",method="POST",status="400",code="BODY_MALFORMED"} 1`,
  )
  has(
    `patient_risk_requests_total{deployment="none",route="none",method="GET",status="404",code="NOT_FOUND"} 1`,
  )
  has(
    `patient_risk_requests_total{deployment="none",route="none",method="unknown",status="405",code="METHOD_NOT_ALLOWED"} 1`,
  )
  has(`patient_risk_records_total{${at},outcome="scored"} 2`)
  has(`patient_risk_records_total{${at},outcome="refused"} 2`)
  has(`patient_risk_problems_total{${at},field="age",kind="ValueError"} 1`)
  has(`patient_risk_problems_total{${at},field="unknown",kind="ValueError"} 1`)
  has(`patient_risk_problems_total{${at},field="record",kind="ValueError"} 1`)
  assert.match(
    text,
    /^patient_risk_request_duration_seconds_count\{deployment="readmission",route="[^"]+"\} 2$/m,
  )
  assert.match(text, /^patient_risk_store_duration_seconds_count\{operation="\w+",outcome="done"\} \d+$/m)
  assert.match(text, /^patient_risk_connections \d+$/m)
  assert.match(text, /^patient_risk_event_loop_delay_seconds \d/m)
  assert.match(text, /^process_resident_memory_bytes \d+$/m)
  assert.doesNotMatch(text, /Canary/)
  await served.close()
})

test('calls of the store are counted by name and outcome', async () => {
  const measurements: string[] = []
  const store = storeClient({
    keyFreshMs: 0,
    isShared: true,
    call: (method) => (method === 'listKeys' ? Promise.reject(new Error('no')) : Promise.resolve(7)),
    takeQuota: () => Promise.reject(new Error('no quota')),
    close: () => Promise.resolve(),
    onCall: (operation, outcome) => measurements.push(`${operation} ${outcome}`),
  })
  assert.equal(await store.latestTime(), 7)
  await assert.rejects(store.listKeys(), /no/)
  await assert.rejects(store.takeQuota('counter', 1, 1), /no quota/)
  assert.deepEqual(measurements, ['latestTime done', 'listKeys failed', 'takeQuota failed'])
  // The rows of one commit are one call, after what an earlier process has left.
  await Promise.all([store.appendAudit([entry(1)]), store.appendAudit([entry(2)])])
  assert.deepEqual(measurements.slice(3), ['chainQueued done', 'appendAudit done'])
})
