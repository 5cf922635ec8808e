/** FHIR and CDS Hooks are watched as every other entrance, and say what is in doubt of the caller's feed; with workers and without. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveAdapters } from '../../../../test/support/serve-adapters.ts'
import { readmissionRecord } from '../../../../test/support/records.ts'
import { bundleFile, patient } from './fhir/source.ts'
import { request } from './cds-hooks/requests.ts'

const DOUBT = /(^|, )sex;doubt=codes($|, )/
const NOTICE = /Of this sender, sex: /

for (const workers of [0, 1]) {
  test(`with ${workers} workers`, async () => {
    const served = await serveAdapters({}, { workers })
    const counted = async (): Promise<string | undefined> =>
      /drift_records\{deployment="readmission"\} (\d+)/.exec((await served.get('/metrics')).text)?.[1]
    const hook = (gender: string): Parameters<typeof served.send>[0] => ({
      path: '/cds-services/readmission',
      json: request({ patient: patient({ gender }) }),
      headers: { 'content-type': 'application/json' },
    })
    try {
      assert.equal(await counted(), '0')
      assert.equal((await served.send({ json: bundleFile('01-complete') })).status, 200)
      assert.equal(await counted(), '1', 'FHIR')
      const first = await served.send(hook('male'))
      assert.equal(first.status, 200)
      assert.equal(first.headers['risk-feed-doubt'], undefined)
      assert.equal(await counted(), '2', 'CDS Hooks')
      const foreign = await served.post([{ ...readmissionRecord(1, 70), sex: 'H' }])
      assert.match(String(foreign.headers['risk-feed-doubt']), DOUBT)
      const men = JSON.parse(
        JSON.stringify(bundleFile('01-complete')).replaceAll('"female"', '"male"'),
      ) as object
      const fhir = await served.send({ json: men })
      assert.match(String(fhir.headers['risk-feed-doubt']), DOUBT)
      const cards = await served.send(hook('male'))
      assert.match(String(cards.headers['risk-feed-doubt']), DOUBT)
      assert.match(fhir.text, NOTICE)
      assert.match(cards.text, NOTICE)
      assert.doesNotMatch((await served.send(hook('female'))).text, NOTICE, 'F is the same everywhere')
    } finally {
      await served.close()
    }
  })
}
