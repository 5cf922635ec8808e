/** `patient-risk pack`: what it prints is the deployment that the service serves. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { type PackedDeployment, compile } from 'patient-risk-engine'
import { inFolder, runHere } from '../../../test/support/run-command.ts'
import { CLINICAL_ROOT, testCatalog } from '../../../test/support/serve.ts'

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

interface Case {
  readonly name: string
  readonly risk?: number
}

/** A folder with a copy of a model under another name, and a configuration that serves it. Returns the path of the configuration. */
function ownModel(folder: string, change: (cases: readonly Case[]) => readonly Case[]): string {
  const from = join(CLINICAL_ROOT, 'models', 'readmission30')
  const to = join(folder, 'clinical', 'models', 'ward30')
  const read = (name: string): unknown => JSON.parse(readFileSync(join(from, name), 'utf8'))
  const model = read('readmission30.json') as object
  mkdirSync(to, { recursive: true })
  writeFileSync(join(to, 'ward30.json'), JSON.stringify({ ...model, id: 'ward30' }))
  writeFileSync(join(to, 'cases.json'), JSON.stringify(change(read('cases.json') as readonly Case[])))
  const file = join(folder, 'service.json')
  const ward = { name: 'ward', basePath: '/', model: 'ward30', output: 'number' }
  writeFileSync(file, JSON.stringify({ clinical: ['clinical'], deployments: [ward] }))
  return file
}

test('a model that reproduces its worked cases is packed', async () => {
  await inFolder(async (folder) => {
    const { code, out, err } = await runHere(['pack', 'ward'], { CONFIG: ownModel(folder, (cases) => cases) })
    assert.deepEqual([code, err], [0, ''])
    assert.equal(compile(JSON.parse(out)).model, 'ward30@1.0.4')
  })
})

test('a model that fails one of its worked cases is not packed', async () => {
  await inFolder(async (folder) => {
    const CONFIG = ownModel(folder, ([first, ...others]) => {
      assert.equal(first?.risk, 0.0806)
      return [{ ...first, risk: 0.0807 }, ...others]
    })
    const { code, out, err } = await runHere(['pack', 'ward'], { CONFIG })
    assert.deepEqual([code, out], [1, ''])
    assert.match(
      err,
      /^The model fails its own checks and is not packed: ward30@1\.0\.4 fails its case 0 .*: expected the risk 0\.0807, got 0\.0806\n$/,
    )
  })
})

test('--page prints a page that holds the same pack, what the service says of it, and the day', async () => {
  const plain = await runHere(['pack', 'readmission'])
  const page = await runHere(['pack', 'readmission', '--page'])
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
