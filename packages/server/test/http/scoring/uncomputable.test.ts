/** A model that gives no number for records that are in order is a fault of ours, and the log says so. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CatalogModel, makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { serve, testCatalog } from '../../../../../test/support/serve.ts'

test('a risk that is not finite is null with its reason, and an error in the log', async () => {
  const catalog = testCatalog()
  const known = catalog.models.get('readmission30@1.0.4') as CatalogModel
  const huge = { kind: 'linear', coefficient: 1e308 } as const
  const terms = [
    { ...huge, field: 'age' },
    { ...huge, field: 'age' },
    { ...huge, field: 'stayDays', coefficient: -1e308 },
    { ...huge, field: 'stayDays', coefficient: -1e308 },
  ]
  const broken = { ...known, selfCheckFailures: [], definition: { ...known.definition, terms } }
  const models = new Map([['readmission30@1.0.4', broken]])
  const { deployments } = makeDeployments({ ...catalog, models }, DEFAULT_FILE.deployments)
  const served = await serve({ service: { deployments } })
  try {
    const record = { idx: 1, age: 80, sex: 'F', inpatientAdmissions: 0, emergencyAdmissions: 0, stayDays: 80 }
    // A caller's own field of that name is no fault of the model.
    const answer = await served.post([record, { ...record, idx: 2, age: null, Risk: 1 }])
    const [first] = answer.json() as {
      risk: unknown
      error_message: { Field: string; ExtendError: string }[]
    }[]
    assert.equal(first?.risk, null)
    assert.equal(first.error_message[0]?.ExtendError, 'ValueError for value Risk in idx 1 (not computable)')
    const lines = served.logLines().filter(({ event }) => event === 'risk-not-computable')
    assert.deepEqual(
      lines.map(({ deployment, records, level }) => ({ deployment, records, level })),
      [{ deployment: 'readmission', records: 1, level: 50 }],
    )
  } finally {
    await served.close()
  }
})
