/** Jobs: FHIR quantities are read in their own units, whatever the deployment takes; a replay; and units that cannot be read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobRunner } from '../../../src/adapters/jobs.ts'
import { makeDeployments, packDeployments } from '@patient-risk/catalog'
import { packageVersion } from '@patient-risk/runtime'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { STAY, TODAY, bundle, bundleFile, observation, patient, recordsOf, ucum } from './source.ts'

test('the units of a deployment do not change a FHIR answer', () => {
  const catalog = testCatalog()
  const common = { model: 'hospital', output: 'number' } as const
  const { deployments, faults } = makeDeployments(catalog, [
    { name: 'plain', basePath: '/', ...common },
    { name: 'other', basePath: '/other', ...common, units: { haemoglobin: 'g/L' } },
  ])
  assert.deepEqual(faults, [])
  const run = jobRunner({ deployments: packDeployments(catalog, deployments), mapping })
  const query = { history: 'complete', asOf: '2026-11-15' }
  const answers = ['plain', 'other'].map((deployment) => {
    const body = Buffer.from(JSON.stringify(bundleFile('01-complete')))
    const answer = run({ kind: 'bundle', deployment, body, today: TODAY, query })
    return Buffer.from(answer.bytes).toString()
  })
  assert.equal(answers[1], answers[0])
  assert.ok(!answers[0]?.includes('out of range'))
})

test('a replay names the version of the service that answered, and changes nothing else', () => {
  const catalog = testCatalog()
  const { deployments } = makeDeployments(catalog, [
    { name: 'plain', basePath: '/', model: 'readmission30', output: 'number' },
  ])
  const packed = packDeployments(catalog, deployments)
  const answers = [undefined, '0.1.99'].map((service) => {
    const body = Buffer.from(JSON.stringify(bundleFile('01-complete')))
    const run = jobRunner({ deployments: packed, mapping, service })
    const answer = run({
      kind: 'bundle',
      deployment: 'plain',
      body,
      today: TODAY,
      query: { asOf: '2026-11-15' },
    })
    return Buffer.from(answer.bytes).toString()
  })
  assert.ok(answers[1]?.includes('"value":"0.1.99"'))
  assert.equal(answers[1]?.replace('0.1.99', packageVersion()), answers[0])
})

test('a unit that cannot be read is not printed', (context) => {
  const print = context.mock.method(console, 'log', () => undefined)
  for (const unit of [
    'Jane Doe',
    'Cel{JaneDoe}.m',
    'm.Cel{JaneDoe}',
    '(m{JaneDoe})2g',
    'JaneDoe/{x',
    '{x}Cel(m)',
  ]) {
    for (const value of [{ value: 11, unit }, ucum(11, unit)]) {
      const [read] = recordsOf(bundle(patient(), STAY, observation('a', '718-7', value)))
      assert.equal(read?.record['haemoglobin'], undefined, unit)
    }
  }
  assert.equal(print.mock.callCount(), 0)
})
