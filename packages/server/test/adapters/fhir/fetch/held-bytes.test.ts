/** What is fetched counts among the bytes that all requests of adapters hold together. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { until } from '../../../../../../test/support/until.ts'
import { INSTANCE } from '../../cds-hooks/requests.ts'
import { serveAdapters } from '../../../../../../test/support/serve-adapters.ts'
import { STAY, patient } from '../source.ts'
import { serveFhir } from './fhir-server.ts'

const RESOURCES = [patient(), STAY]
const MOST_BYTES = 100_000
/** Two of them are too many. */
const PART = ' '.repeat(60_000)

test('a second fetch beyond what adapters may hold is refused at once, and what was held is given back', async () => {
  const fhir = await serveFhir(RESOURCES, { needsToken: false })
  const options = { servers: [{ url: fhir.base, internal: true }], load: { adapterBytes: MOST_BYTES } }
  const served = await serveAdapters({}, options)
  const context = { userId: 'Practitioner/1', patientId: 'p' }
  const json = { hook: 'patient-view', hookInstance: INSTANCE, context, fhirServer: fhir.base }
  const headers = { 'content-type': 'application/json' }
  const hook = async (): Promise<number> =>
    (await served.send({ path: '/cds-services/readmission', headers, json })).status
  const open: ServerResponse[] = []
  fhir.misbehave = (url, response) => {
    if (!url.pathname.endsWith('/Patient/p')) return false
    response.writeHead(200, { 'content-type': 'application/fhir+json' }).write(PART)
    open.push(response)
    return true
  }
  const first = hook()
  const held = async (): Promise<number> => {
    const { text } = await served.send({ method: 'GET', path: '/metrics' })
    return Number(/^patient_risk_body_bytes_in_flight (\d+)$/m.exec(text)?.[1])
  }
  await until(async () => (await held()) >= PART.length)
  assert.equal(await hook(), 503)
  for (const response of open) response.end(JSON.stringify(RESOURCES[0]))
  assert.equal(await first, 200)
  await until(async () => (await held()) === 0)
  fhir.misbehave = () => false
  assert.equal(await hook(), 200)
  await served.close()
  await fhir.close()
})
