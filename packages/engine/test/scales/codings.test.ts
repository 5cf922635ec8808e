/** A record that mixes two codings of a scale contradicts itself: a clear problem, and no number from any model. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import { createScorer } from '../../src/scorer.ts'
import { testCatalog } from '../../../../test/support/serve.ts'

const catalog = testCatalog()
const BASE = { idx: 1, age: 80, sex: 'F', inpatientAdmissions: 1, emergencyAdmissions: 0, stayDays: 3 }

function assess(model: string, record: object): { risk: number | null; problems: readonly string[] } {
  const definition = findModel(catalog, model)?.definition
  assert.ok(definition)
  const options = {
    output: { kind: 'number' },
    reportUnknown: false,
    maxRecords: 1,
    maxDepth: 8,
    maxKeys: 99,
    maxLineBytes: 9_999,
  } as const
  const { risk, blocked, problems } = createScorer(catalog.definitions, definition, options).assess(
    record,
    20260101,
  )
  return { risk: blocked ? null : risk, problems: problems.map(({ message }) => message) }
}

/** What is mixed · the fields · the problems. readmission30 uses none of these scales. */
const MIXED: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'a 5 in the coding 0-4',
    { cirs_coding: '0-4', cirs_cardiac: 5, cirs_renal: 0 },
    ['ValueError for value Cardiac in idx 1 (out of range)'],
  ],
  [
    'a 0 in the coding 1-5',
    { cirs_coding: '1-5', cirs_cardiac: 5, cirs_renal: 0 },
    ['ValueError for value Renal in idx 1 (out of range)'],
  ],
  [
    'a total of the other coding',
    { cirs_coding: '0-4', cirs_total: 60 },
    ['ValueError for value Total in idx 1 (out of range)'],
  ],
  [
    'a 0 and a 5 without a coding',
    { cirs_cardiac: 5, cirs_hypertension: 5, cirs_renal: 0 },
    ['ValueError for value Renal in idx 1 (out of range)', 'ValueMissing for value cirs_coding'],
  ],
  [
    'a 0 and a 5 in a coding that does not exist',
    { cirs_coding: '0-5', cirs_cardiac: 5, cirs_renal: 0 },
    [
      'ValueError for value Cardiac in idx 1 (out of range)',
      'ValueError for value Coding in idx 1 (not a permitted value)',
    ],
  ],
  [
    'a line among folded items',
    { charlson_liverDisease: 1, charlson_mildLiverDisease: 1 },
    ['ValueError for value MildLiverDisease in idx 1 (out of range)'],
  ],
  [
    'a folded value among lines',
    { charlson_coding: 'lines', charlson_diabetes: 2 },
    ['ValueError for value Diabetes in idx 1 (out of range)'],
  ],
]
for (const [name, fields, problems] of MIXED) {
  test(`${name}: no number, though the model does not use the scale`, () => {
    assert.deepEqual(assess('readmission30', { ...BASE, ...fields }), { risk: null, problems })
  })
}

test('a mixture keeps a model that uses the scale from answering too', () => {
  const record = { idx: 1, age: 60, charlson_total: 1, charlson_mildLiverDisease: 1 }
  assert.equal(assess('charlson10y', record).risk, null)
})

test('values that one coding permits, and no coding declared: the coding is missing, and nothing else suffers', () => {
  const { risk, problems } = assess('readmission30', { ...BASE, cirs_cardiac: 2, cirs_renal: 5 })
  assert.deepEqual(problems, ['ValueMissing for value cirs_coding'])
  assert.notEqual(risk, null)
})
