/** What adapters hold at a time has a bound of its own, and jobs that wait for a worker do not take the places of scoring bodies. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { adapterRoutes, serviceWorker } from '../../../src/adapters/adapters.ts'
import { makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE, serverSettings } from '@patient-risk/catalog/config'
import { type ScoringDispatcher, openDispatcher } from '../../../src/http/scoring/scoring-dispatcher.ts'
import { cleanRecords } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve, testCatalog } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { STAY, bundle, patient } from './source.ts'

const FHIR = { path: '/fhir/$score', headers: { 'content-type': 'application/fhir+json' } }
const SMALL = JSON.stringify(bundle(patient(), STAY))
const MOST_BYTES = 100_000
/** More than half of what adapters may hold. */
const LARGE = SMALL + ' '.repeat(60_000 - SMALL.length)
const WAITING = 30
let served: Served
let dispatcher: ScoringDispatcher

before(async () => {
  const { deployments } = makeDeployments(testCatalog(), DEFAULT_FILE.deployments)
  dispatcher = openDispatcher(testCatalog(), deployments, { threads: 1, worker: serviceWorker(mapping) })
  served = await serve({
    isOverSocket: true,
    service: {
      adapters: adapterRoutes(mapping, true, {}),
      dispatcher,
      settings: serverSettings({ load: { adapterBytes: MOST_BYTES }, pace: { windowMs: 600_000 } }),
    },
  })
})
after(async () => {
  await served.close()
  await dispatcher.close()
})

test('a body beyond what adapters may hold is refused at once, and scoring goes on', async () => {
  const slow = connect(Number(new URL(served.origin).port), '127.0.0.1')
  slow.on('error', () => undefined)
  slow.write(
    `POST ${FHIR.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\n` +
      `Content-Type: application/fhir+json\r\nContent-Length: ${LARGE.length}\r\n\r\n${LARGE.slice(0, 1_000)}`,
  )
  const held = async (): Promise<string> => (await served.get('/metrics')).text
  await until(async () => (await held()).includes(`patient_risk_body_bytes_in_flight ${LARGE.length}\n`))
  const refused = await served.post(LARGE, FHIR)
  assert.deepEqual([refused.status, refused.text.includes('OVERLOADED')], [503, true])
  assert.equal((await served.post(SMALL, FHIR)).status, 200, 'what fits is answered')
  assert.equal((await served.post(`[${' '.repeat(MOST_BYTES)}]`)).status, 200, 'scoring is not affected')
  slow.destroy()
  await until(async () => (await held()).includes('patient_risk_body_bytes_in_flight 0\n'))
  assert.equal((await served.post(LARGE, FHIR)).status, 200, 'what was held is given back')
  assert.equal((await served.post(LARGE, FHIR)).status, 200)
  assert.equal((await served.post(LARGE + LARGE, FHIR)).status, 413, 'it could never be held')
})

test(`${WAITING} Bundles at a time wait for the worker, and a large scoring body is not refused beside them`, async () => {
  const bundles = Array.from({ length: WAITING }, () => served.post(SMALL, FHIR))
  const large = await served.post(cleanRecords(10_000), { path: SCORE })
  assert.equal(large.status, 200)
  const statuses = (await Promise.all(bundles)).map(({ status }) => status)
  assert.deepEqual([...new Set(statuses)], [200])
})
