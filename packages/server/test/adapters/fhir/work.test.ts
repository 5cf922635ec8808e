/** Jobs of adapters: a worker stops when the caller has left, and what takes too much work is said in the answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobRunner } from '../../../src/adapters/jobs.ts'
import { type CatalogModel, makeDeployments, packDeployments } from '@patient-risk/catalog'
import { productsModel } from '../../../../../test/support/products-model.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { TODAY, bundle, patient } from './source.ts'

const known = testCatalog()
const base = known.models.get('readmission30@1.0.4') as CatalogModel
const models = new Map([...known.models, ['products@1.0.0', { ...base, definition: productsModel() }]])
const catalog = { ...known, models }
const { deployments } = makeDeployments(catalog, [
  { name: 'products', basePath: '/', model: 'products', output: 'number' },
  { name: 'cheap', basePath: '/cheap', model: 'readmission30', output: 'number' },
])
const run = jobRunner({ deployments: packDeployments(catalog, deployments), mapping })

const BUNDLE = JSON.stringify(bundle(patient({ birthDate: undefined })))
const JOBS = [
  ['bundle', BUNDLE],
  ['lines', `${BUNDLE}\n${BUNDLE}\n${BUNDLE}\n`],
] as const
for (const [kind, text] of JOBS) {
  const job = { kind, deployment: 'products', body: Buffer.from(text), today: TODAY, query: {} } as const

  test(`${kind}: a worker stops when the caller has left, and no line answers in its place`, () => {
    let asked = 0
    assert.throws(() => run(job, () => ++asked >= 2), { name: 'Abandoned' })
    assert.equal(asked, 2)
  })

  test(`${kind}: it also stops where explaining the patients takes no steps`, () => {
    assert.throws(() => run({ ...job, deployment: 'cheap' }, () => true), { name: 'Abandoned' })
  })

  test(`${kind}: a range that takes too much work is named in the OperationOutcome`, () => {
    const text = Buffer.from(run(job).bytes).toString()
    assert.match(text, /"diagnostics":"range-not-computed:risk"/)
    assert.doesNotMatch(text, /"diagnostics":"range:/)
  })
}
