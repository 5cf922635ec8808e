/** `…/fields` lists every field with type, permitted values, unit, meaning and the models that use it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FieldCatalogue, FieldDescription } from '../src/catalog/describe-fields.ts'
import { SCORE, type Served, serve } from '../../../test/support/serve.ts'

let served: Served
let answer: FieldCatalogue
before(async () => {
  const deployments = [{ name: 'lace', basePath: '/lace', model: 'lace', output: 'number' }] as const
  served = await serve({ deployments })
  answer = (await served.get(`/lace${SCORE}/fields`)).json() as FieldCatalogue
})
after(() => served.close())

test('every field of the catalogue is listed once, in the order of the contract', () => {
  const names = answer.fields.map(({ name }) => name)
  assert.deepEqual(names, [...served.catalog.domains.keys()])
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(names.slice(0, 5), [
    'age',
    'sex',
    'inpatientAdmissions',
    'emergencyAdmissions',
    'stayDays',
  ])
})

test('each says its type, what it permits, and what it means', () => {
  for (const field of answer.fields) {
    assert.match(field.meaning, /\S/, field.name)
    const isListed = field.values !== undefined && field.values.length > 0
    const isBounded = field.minimum !== undefined && field.maximum !== undefined
    const isSelfEvident = field.type === 'boolean' || field.type === 'date'
    assert.ok(isListed || isBounded || isSelfEvident, `${field.name} permits what?`)
    if (field.type === 'string')
      assert.deepEqual(Object.keys(field.valueMeanings ?? {}), field.values, field.name)
  }
})

test('measured inputs have a unit', () => {
  for (const name of [
    'age',
    'stayDays',
    'haemoglobin',
    'sodium',
    'creatinine',
    'albumin',
    'edVisits6Months',
  ]) {
    assert.match(fieldOf(name).unit ?? '', /\S/, name)
  }
})

/** Field · what it is there, in part. */
const FIELDS: readonly (readonly [string, Partial<FieldDescription>])[] = [
  ['age', { type: 'integer', minimum: 18, maximum: 120, unit: 'years', role: 'base', use: 'required' }],
  [
    'sex',
    {
      type: 'string',
      values: ['F', 'M', 'X'],
      use: 'unused',
      models: ['readmission30@1.0.4', 'walter@1.0.2'],
    },
  ],
  ['edVisits6Months', { type: 'integer', role: 'input', use: 'required', models: ['lace@1.1.1'] }],
  [
    'haemoglobin',
    { type: 'number', unit: 'g/dL', minimum: 1, maximum: 30, models: ['hospital@1.0.1', 'profund@1.0.2'] },
  ],
  ['laceCharlson_total', { type: 'integer', role: 'total', use: 'required', models: ['lace@1.1.1'] }],
  [
    'laceCharlson_dementia',
    { type: 'integer', values: [0, 3], role: 'item', use: 'part', models: ['lace@1.1.1'] },
  ],
  ['laceCharlson_aids', { values: [0, 4], use: 'part', verified: true }],
  ['laceCharlson_date', { type: 'date', role: 'date', use: 'unused', models: [] }],
  [
    'barthel_chairTransfers',
    { values: [0, 5, 10, 15], use: 'unused', models: ['profund@1.0.2', 'walter@1.0.2'] },
  ],
  ['barthel_grooming', { values: [0, 5], models: ['profund@1.0.2'] }],
  [
    'charlson_coding',
    { type: 'string', values: ['folded', 'lines'], models: ['charlson10y@1.0.2', 'inouye@1.0.1'] },
  ],
  ['cam_total', { type: 'integer', values: [0, 1], models: [] }],
  ['extonSmith_total', { verified: false }],
  ['zarit_total', { verified: true }],
  ['gnri_albumin', { verified: false }],
]
for (const [name, expected] of FIELDS) {
  test(`${name} is described`, () => {
    const field = fieldOf(name)
    for (const [word, value] of Object.entries(expected)) {
      assert.deepEqual(field[word as keyof FieldDescription], value, word)
    }
  })
}

test('a total lists what it can reach', () => {
  assert.deepEqual(fieldOf('mna_total').values?.slice(0, 3), [0, 0.5, 1])
  assert.equal(fieldOf('mna_total').values?.at(-1), 30)
})

test('unverified scales are marked', () => {
  const doubtful = answer.scales.filter(({ verified }) => !verified).map(({ id }) => id)
  assert.deepEqual(doubtful, ['extonSmith', 'frailVig', 'fried', 'gaitSpeed', 'tug', 'waterlow'])
})

function fieldOf(name: string): FieldDescription {
  const field = answer.fields.find((each) => each.name === name)
  assert.ok(field, name)
  return field
}
