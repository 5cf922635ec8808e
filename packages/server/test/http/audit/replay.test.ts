/** Replay uses what the row holds of a deployment: its units and bands too. Rows that were written before still work. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runHere } from '../../../../../test/support/run-command.ts'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { makeEntry, textOf } from '../../../src/store/audit/audit-row.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

const PLAIN = { model: 'profund', output: 'number' } as const
const DEPLOYMENTS: readonly DeploymentSettings[] = [
  { name: 'plain', basePath: '/', ...PLAIN },
  { name: 'units', basePath: '/units', ...PLAIN, units: { haemoglobin: 'mmol/L' } },
  { name: 'bands', basePath: '/bands', ...PLAIN, bands: { barthel: 'Spanish practice' } },
  {
    name: 'strict',
    basePath: '/strict',
    ...PLAIN,
    output: 'yes-no',
    threshold: 0.4,
    unknownFields: 'report',
  },
]
const BODY = JSON.stringify([
  {
    ...{ idx: 1, age: 87, sex: 'F', activeNeoplasia: false, dementia: false, nyhaOrMrc3to4: true },
    ...{ deliriumLastAdmission: false, caregiver: 'spouse', inpatientAdmissions: 1, ward: 7 },
    // Anaemia in g/dL and none in mmol/L: the unit decides the risk.
    ...{ barthel_total: 65, haemoglobin: 9.5 },
  },
])

let served: Served
before(async () => {
  served = await serve({ deployments: DEPLOYMENTS })
})
after(() => served.close())

type Row = Readonly<Record<string, unknown>> & { readonly settings: Readonly<Record<string, unknown>> }

async function lastRow(): Promise<{ readonly row: Row; readonly text: string }> {
  const [found] = await served.store.readAudit({ newestFirst: true, most: 1 })
  return { row: JSON.parse(found?.content ?? '{}') as Row, text: textOf(found?.content ?? '') }
}

/** With the default configuration, which has none of these deployments. */
function replay(request: string): ReturnType<typeof runHere> {
  const file = join(served.dataDir, 'body.json')
  writeFileSync(file, BODY)
  return runHere(['audit', 'replay', '--body', file, '--request', request], { DATA_DIR: served.dataDir })
}

async function score(path: string, call: string): Promise<string> {
  const headers = { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' }
  const answer = await fetch(served.origin + path + SCORE + call, { method: 'POST', headers, body: BODY })
  assert.equal(answer.status, 200)
  const named = `sha-256=:${String((await lastRow()).row['deploymentDigest'])}:`
  assert.equal(named, answer.headers.get('risk-deployment-digest'))
  return answer.text()
}

test('the answers differ between the deployments, so that a replay without their settings would fail', async () => {
  const answers = []
  for (const path of ['', '/units', '/strict']) answers.push(await score(path, ''))
  assert.equal(new Set(answers).size, 3)
})

/** Base path · what the row holds besides the output. */
const SETTINGS = [
  ['', { output: 'number', keysPerRecord: 1_024 }],
  ['/units', { output: 'number', keysPerRecord: 1_024, units: { haemoglobin: 'mmol/L' } }],
  ['/bands', { output: 'number', keysPerRecord: 1_024, bands: { barthel: 'Spanish practice' } }],
  ['/strict', { output: 'yes-no', threshold: 0.4, unknownFields: 'report', keysPerRecord: 1_024 }],
] as const
for (const [path, settings] of SETTINGS) {
  test(`${path || '/'} is replayed from its row`, async () => {
    for (const call of ['', '/validate', '/explain']) {
      await score(path, call)
      const { row } = await lastRow()
      assert.deepEqual(row.settings, settings)
      const { code, err } = await replay(String(row['requestId']))
      assert.equal(code, 0, err)
    }
  })
}

/** Base path · what a row of an earlier version gives: it has neither the digest nor units. */
const OLD = [
  ['', 0, /^$/],
  ['/strict', 0, /^$/],
  ['/units', 1, /differs from the recorded one\. Its row does not hold the units of the deployment/],
] as const
for (const [path, code, message] of OLD) {
  test(`a row of an earlier version of ${path || '/'}: ${code}`, async () => {
    await score(path, '')
    const { units, ...settings } = (await lastRow()).row.settings
    assert.equal(units !== undefined, path === '/units')
    const { deploymentDigest, ...old } = JSON.parse((await lastRow()).text) as Row
    assert.ok(deploymentDigest)
    const requestId = `old-${path.slice(1)}`
    await served.store.appendAudit([
      makeEntry({ ...old, settings, at: served.clock.now(), keyId: null, requestId }),
    ])
    const ran = await replay(requestId)
    assert.equal(ran.code, code, ran.err)
    assert.match(ran.err, message)
  })
}

test('where the scales or fields have changed since, the replay says so', async () => {
  await score('', '')
  const row = JSON.parse((await lastRow()).text) as Row
  const changed = { deploymentDigest: 'another', answerDigest: 'another', requestId: 'changed' }
  await served.store.appendAudit([makeEntry({ ...row, ...changed, at: served.clock.now(), keyId: null })])
  const { code, err } = await replay('changed')
  assert.equal(code, 1)
  assert.match(
    err,
    /differs from the recorded one\. The scales, the fields or the time zone have changed since\./,
  )
})
