/** Models of trees over fields of the catalogue: valid, and answered with the same bytes by both readers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkModel } from '../src/definition/check/check-model.ts'
import { FaultList } from '../src/definition/fault.ts'
import { hasShape } from '@patient-risk/catalog'
import { compareRecords } from './fuzz/compare.ts'
import { loadForFuzz, makePairs } from './fuzz/deployments.ts'
import { treeModels } from '../../../test/support/tree-models.ts'

const catalog = loadForFuzz()
const pairs = makePairs(catalog)

for (const model of treeModels(catalog)) {
  test(`${model.id} is a valid model`, () => {
    const scales = { barthel: 1, cfs: 1, mna: 1 }
    const faults = new FaultList('model')
    const versioned = Object.keys(scales).map((id) => [id, catalog.scales.get(id)?.version ?? 0])
    const whole = { ...model, scales: Object.fromEntries(versioned) as Record<string, number> }
    if (hasShape('model', { value: whole }, faults)) checkModel(whole, catalog, faults)
    assert.deepEqual(faults.faults, [])
  })

  test(`${model.id}: both readers give the same bytes for 20,000 records, many of them faulty`, () => {
    compareRecords(
      pairs.filter(({ name }) => name.startsWith(model.id)),
      1,
      20_000,
    )
  })
}
