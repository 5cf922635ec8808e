/** `patient-risk pack`: what it prints is the deployment that the service serves. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { type PackedDeployment, compile } from 'patient-risk-engine'
import { inFolder, runHere } from '../../../test/support/run-command.ts'
import { testCatalog } from '../../../test/support/serve.ts'

const PATIENT = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const TODAY = 20_260_131

for (const settings of DEFAULT_FILE.deployments) {
  test(`${settings.name} is printed with the digest and the answers of the service`, async () => {
    const { code, out, err } = await runHere(['pack', settings.name])
    assert.deepEqual([code, err], [0, ''])
    const packed = JSON.parse(out) as PackedDeployment
    const [served] = makeDeployments(testCatalog(), [settings]).deployments
    const compiled = compile(packed)
    assert.equal(packed.formatVersion, 1)
    assert.equal(compiled.name, settings.name)
    assert.equal(compiled.digest, served?.digest)
    assert.equal(compiled.timeZone, served?.timeZone)
    const body = Buffer.from(JSON.stringify([PATIENT, { idx: 2, age: 'old' }]))
    assert.deepEqual(
      Buffer.from(compiled.bytes.score(body, TODAY)).toString(),
      Buffer.from(served?.scorer.score(body, TODAY).bytes ?? []).toString(),
    )
  })
}

test('settings of the configuration are part of the pack, also the time zone', async () => {
  await inFolder(async (folder) => {
    const file = join(folder, 'service.json')
    const flag = { name: 'ward', basePath: '/', model: 'readmission30', output: 'yes-no', threshold: 0.2 }
    writeFileSync(file, JSON.stringify({ timeZone: 'Pacific/Auckland', deployments: [flag] }))
    const { out } = await runHere(['pack', 'ward'], { CONFIG: file })
    const compiled = compile(JSON.parse(out))
    assert.equal(compiled.timeZone, 'Pacific/Auckland')
    assert.deepEqual(
      compiled.score([PATIENT], TODAY).map(({ risk }) => risk),
      ['Yes'],
    )
  })
})

test('--page prints a page that holds the same pack, what the service says of it, and the day', async () => {
  const [plain, page] = [
    await runHere(['pack', 'readmission']),
    await runHere(['pack', 'readmission', '--page']),
  ]
  assert.deepEqual([page.code, page.err], [0, ''])
  // Reports and citations have such signs, which would end the data.
  const [, data = ''] =
    /<script type="application\/json" id="deployment">([^<]+)<\/script>/.exec(page.out) ?? []
  const held = JSON.parse(data) as {
    readonly made: string
    readonly packed: PackedDeployment
    readonly fields: { readonly digest: string }
    readonly report: object
  }
  assert.deepEqual(held.packed, JSON.parse(plain.out))
  assert.match(held.made, /^\d{2}-\d{2}-\d{4}$/)
  assert.equal(held.fields.digest, `sha-256=:${compile(held.packed).digest}:`)
  assert.match(JSON.stringify(held.report), /</)
})

/** Words · exit code · message. */
const WRONG = [
  [['pack'], 2, /Give the name of one deployment/],
  [['pack', 'readmission', 'mortality'], 2, /Give the name of one deployment/],
  [['pack', 'moon'], 2, /There is no deployment moon\. There are readmission, readmission-flag, mortality\./],
] as const
for (const [words, expected, message] of WRONG) {
  test(`patient-risk ${words.join(' ')} prints nothing and says why`, async () => {
    const { code, out, err } = await runHere(words)
    assert.deepEqual([code, out], [expected, ''])
    assert.match(err, message)
  })
}
