/** A number never comes from a total that cannot be trusted, however the distrust arose. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel, loadCatalog } from '@patient-risk/catalog'
import type { ModelDefinition } from '../src/definition/model.ts'
import { createScorer } from '../src/scorer.ts'

const { catalog } = loadCatalog(['clinical'])
assert.ok(catalog)
const lace = findModel(catalog, 'lace')
assert.ok(lace)

/** A model of one input: the nutrition total. */
const model: ModelDefinition = {
  ...lace.definition,
  scales: { mna: 1 },
  inputs: { mna_total: {} },
  terms: [{ kind: 'linear', field: 'mna_total', coefficient: -0.1 }],
  link: { kind: 'logistic', intercept: 0 },
}
const limits = { maxRecords: 10, maxDepth: 8, maxKeys: 1024, maxLineBytes: 1 << 20 }
const scorer = createScorer(catalog.definitions, model, {
  output: { kind: 'number' },
  reportUnknown: false,
  ...limits,
})

const RECORDS = [
  ['a total alone is used', { mna_total: 24 }, 0.0832, []],
  ['a wrong item spoils the total', { mna_total: 24, mna_bmi: 9 }, null, ['mna_bmi']],
  ['a wrong item of another type spoils it too', { mna_total: 24, mna_bmi: 'x' }, null, ['mna_bmi']],
  [
    'a subtotal that nobody uses may be wrong',
    { mna_total: 24, mna_screening: 99 },
    0.0832,
    ['mna_screening'],
  ],
  [
    'both subtotals may be wrong',
    { mna_total: 24, mna_screening: 99, mna_assessment: -1 },
    0.0832,
    ['mna_screening', 'mna_assessment'],
  ],
  [
    'subtotals that give another total block',
    { mna_total: 24, mna_screening: 10, mna_assessment: 10 },
    null,
    ['mna_total'],
  ],
  [
    'subtotals that give the total do not',
    { mna_total: 24, mna_screening: 12, mna_assessment: 12 },
    0.0832,
    [],
  ],
  ['a wrong total is no number', { mna_total: 24.25 }, null, ['mna_total']],
] as const

for (const [name, record, risk, fields] of RECORDS) {
  test(name, () => {
    const outcome = scorer.assess({ idx: 1, ...record }, 20260101)
    assert.deepEqual(
      { risk: outcome.blocked ? null : outcome.risk, fields: outcome.problems.map(({ field }) => field) },
      { risk, fields },
    )
  })
}
