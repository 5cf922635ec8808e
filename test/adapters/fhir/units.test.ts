/** A deployment that takes records in other units still reads FHIR quantities in theirs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobRunner } from '../../../src/adapters/jobs.ts'
import { makeDeployments } from '../../../src/catalog/deployment.ts'
import { packDeployments } from '../../../src/catalog/portable.ts'
import { testCatalog } from '../../serve.ts'
import { STAY, TODAY, bundle, bundleFile, mapping, observation, patient, recordsOf, ucum } from './source.ts'

test('the units of a deployment do not change a FHIR answer', () => {
  const catalog = testCatalog()
  const common = { model: 'hospital', output: 'number' } as const
  const { deployments, faults } = makeDeployments(catalog, [
    { name: 'plain', basePath: '/', ...common },
    { name: 'other', basePath: '/other', ...common, units: { haemoglobin: 'g/L' } },
  ])
  assert.deepEqual(faults, [])
  const run = jobRunner({ deployments: packDeployments(catalog, deployments), mapping })
  const query = { history: 'complete' }
  const answers = ['plain', 'other'].map((deployment) => {
    const body = Buffer.from(JSON.stringify(bundleFile('01-complete')))
    const answer = run({ kind: 'bundle', deployment, body, today: TODAY, query })
    return Buffer.from(answer.bytes).toString()
  })
  assert.equal(answers[1], answers[0])
  assert.ok(!answers[0]?.includes('out of range'))
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
