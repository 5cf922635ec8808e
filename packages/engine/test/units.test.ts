/** Units: a deployment declares the unit in which it receives a field, and the median of many records shows a wrong one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { type Deployment, makeDeployments, describeFields } from '@patient-risk/catalog'
import { makePlan } from '../src/plan/plan.ts'
import { value as valueOf } from '../src/expression/build.ts'
import { compileCondition } from '../src/expression/evaluate.ts'
import { hintOf, hintText, likelyUnit, unitCases, unitFields, usualIn } from '../src/score/likely-unit.ts'
import { PROFUND_PATIENT } from '../../../test/support/records.ts'
import { testCatalog } from '../../../test/support/serve.ts'

const TODAY = 20260101
const catalog = testCatalog()

function deploy(
  model: string,
  units: Record<string, string>,
  more: Partial<DeploymentSettings> = {},
): Deployment {
  const entry = { name: 'ward', basePath: '/', model, output: 'number', units, ...more } as const
  const { deployments, faults } = makeDeployments(catalog, [entry])
  assert.deepEqual(faults, [])
  return deployments[0] as Deployment
}

function answer(deployment: Deployment, records: readonly object[]): string {
  const body = Buffer.from(JSON.stringify(records))
  return Buffer.from(deployment.scorer.score(body, TODAY).bytes).toString()
}

const PROFUND = { idx: 1, ...PROFUND_PATIENT, barthel_total: 100 }

/** Unit · value · the same in g/dL or mg/dL · risk of PROFUND, which gives 3 points below 10 g/dL. */
const HAEMOGLOBIN = [
  ['g/dL', 8.1, 0.315],
  ['mmol/L', 8.1, 0.146],
  ['mmol/L', 6.2, 0.315],
  ['mmol/L', 6.206, 0.146],
  ['g/L', 100, 0.146],
  ['g/L', 99.9, 0.315],
  ['g/L', 8.1, null],
] as const
for (const [unit, value, risk] of HAEMOGLOBIN) {
  for (const reader of ['bytes', 'reference'] as const) {
    test(`a haemoglobin of ${value} received in ${unit} gives ${risk} by the ${reader} reader`, () => {
      const text = answer(deploy('profund', { haemoglobin: unit }, { reader }), [
        { ...PROFUND, haemoglobin: value },
      ])
      const [result] = JSON.parse(text) as [
        { risk: number | null; error_message: { ExtendError: string }[] | null },
      ]
      assert.equal(result.risk, risk)
      const message = 'ValueError for value Haemoglobin in idx 1 (out of range)'
      assert.equal(result.error_message?.[0]?.ExtendError, risk === null ? message : undefined)
    })
  }
}

test('both readers give the same bytes for every value in another unit', () => {
  const records = Array.from({ length: 3_000 }, (_, idx) => ({ ...PROFUND, idx, haemoglobin: idx / 100 }))
  const [bytes, reference] = (['bytes', 'reference'] as const).map((reader) =>
    answer(deploy('profund', { haemoglobin: 'mmol/L', barthel_total: 'of 20' }, { reader }), records),
  )
  assert.equal(bytes, reference)
})

test('a Barthel total out of 20 is five times as much out of 100', () => {
  const record = { ...PROFUND, haemoglobin: 12 }
  const of20 = deploy('profund', { barthel_total: 'of 20' })
  const of100 = deploy('profund', {})
  for (let total = 0; total <= 20; total++) {
    assert.equal(
      answer(of20, [{ ...record, barthel_total: total }]),
      answer(of100, [{ ...record, barthel_total: 5 * total }]),
    )
  }
  assert.match(answer(of20, [{ ...record, barthel_total: 21 }]), /Total in idx 1 \(out of range\)/)
})

test('the explanation names the unit of the model and the one that was received', () => {
  const { scorer } = deploy('profund', { haemoglobin: 'mmol/L' })
  const body = Buffer.from(JSON.stringify([{ ...PROFUND, haemoglobin: 5 }]))
  const text = Buffer.from(scorer.explain(body, TODAY).bytes).toString()
  assert.match(
    text,
    /"field":"haemoglobin","value":8\.05\d*,"origin":"given","unit":"g\/dL","receivedIn":"mmol\/L"/,
  )
})

test('the field catalogue shows the unit in force, with its limits', () => {
  const { definition } = deploy('walter', {}).model
  const { fields } = describeFields(catalog, definition, { creatinine: 'µmol/L' })
  const field = fields.find(({ name }) => name === 'creatinine')
  assert.partialDeepStrictEqual(field, { unit: 'µmol/L', modelUnit: 'mg/dL', minimum: 8.84, maximum: 3536 })
})

const SPELLINGS = ['µmol/L', 'μmol/L', 'umol/L']
for (const unit of SPELLINGS) {
  test(`${JSON.stringify(unit)} is a spelling of micromole per litre`, () => {
    assert.deepEqual(deploy('walter', { creatinine: unit }).units, { creatinine: 'µmol/L' })
  })
}

const WRONG_UNITS = [
  [{ haemoglobin: 'mg/dL' }, /mg\/dL is not known for it; there are g\/dL, g\/L, mmol\/L/],
  [{ age: 'months' }, /only these fields have several units: haemoglobin, /],
  [{ toString: 'g/L' }, /only these fields have several units/],
] as const
for (const [units, message] of WRONG_UNITS) {
  test(`the units ${JSON.stringify(units)} are refused`, () => {
    const entry = { name: 'ward', basePath: '/', model: 'profund', output: 'number', units } as const
    assert.match(makeDeployments(catalog, [entry]).faults[0]?.message ?? '', message)
  })
}

/** Field · unit in which it is received · median as written · the unit that is likely, or none. */
const MEDIANS = [
  ['haemoglobin', 'g/dL', 12.1, undefined],
  ['haemoglobin', 'g/dL', 9, undefined],
  ['haemoglobin', 'g/dL', 7.6, 'mmol/L'],
  ['haemoglobin', 'g/dL', 121, 'g/L'],
  ['haemoglobin', 'mmol/L', 7.6, undefined],
  ['haemoglobin', 'mmol/L', 12.1, 'g/dL'],
  ['haemoglobin', 'g/L', 12.1, 'g/dL'],
  ['haemoglobin', 'g/L', 7.6, 'mmol/L'],
  ['creatinine', 'mg/dL', 1.1, undefined],
  ['creatinine', 'mg/dL', 88, 'µmol/L'],
  ['albumin', 'g/dL', 35, 'g/L'],
  ['barthel_total', 'of 100', 14, 'of 20'],
  ['barthel_total', 'of 100', 60, undefined],
] as const
for (const [field, received, written, likely] of MEDIANS) {
  test(`a median ${field} of ${written} received in ${received}: ${likely ?? 'no doubt'}`, () => {
    const units = catalog.units.get(field)
    assert.ok(units)
    const { times = 1, per = 1 } = units.others[received] ?? {}
    assert.equal(likelyUnit(units, received, (written * times) / per), likely)
  })
}

function hintsFor(values: readonly number[], units: Record<string, string> = {}): readonly string[] {
  const { model, scorerOptions } = deploy('profund', units)
  const plan = makePlan(catalog.definitions, model.definition, scorerOptions.conversions)
  const field = unitFields({ plan, units: catalog.units, model: model.definition }).find(
    (each) => each.field === 'haemoglobin',
  )
  assert.ok(field)
  return hintOf(field, values.length, values[values.length >> 1] ?? 0).map(hintText)
}

test('fifty values name the likely unit, forty-nine do not', () => {
  const values = Array.from({ length: 50 }, (_, index) => 6.5 + index / 20)
  assert.deepEqual(hintsFor(values.slice(1)), [])
  const [hint, ...others] = hintsFor(values)
  assert.deepEqual(others, [])
  assert.match(
    hint ?? '',
    /^haemoglobin: the median of 50 values is 7\.\d+, which fits mmol\/L better than g\/dL\. If they are in mmol\/L, declare /,
  )
  assert.deepEqual(hintsFor(values, { haemoglobin: 'mmol/L' }), [])
  assert.match(hintsFor(values.map((value) => 16 * value))[0] ?? '', /fits g\/L better/)
})

test('a hint about the highest total of a scale is a sentence', () => {
  const hint = { field: 'barthel_total', values: 64, median: 10, received: 'of 100', likely: 'of 20' }
  assert.equal(
    hintText(hint),
    "barthel_total: the median of 64 values is 10, which fits a total out of 20 better than one out of 100. If they are out of 20, declare it in the deployment's units. It may also be another quantity.",
  )
})

test("the model's own data come before the usual range", () => {
  const profile = { inputs: { haemoglobin: { cuts: [6, 7, 8], shares: [0.1, 0.2, 0.5, 0.2], missing: 0 } } }
  const usual = usualIn({ data: 'd', rows: 9, risk: { cuts: [], shares: [1] }, ...profile }, 'haemoglobin')
  assert.deepEqual(usual, { from: 7, to: 8 })
  const units = catalog.units.get('haemoglobin')
  assert.ok(units)
  assert.equal(likelyUnit(units, 'g/dL', 7.6, usual), undefined)
})

/** Own unit m, usually 2 to 4; in cm a hundredth, in dm a tenth of it. */
const LENGTH = {
  unit: 'm',
  usual: { from: 2, to: 4 },
  source: 'invented',
  others: { cm: { per: 100, source: 'invented' }, dm: { per: 10, source: 'invented' } },
}
/** Received in · value in m, converted from that · the unit in which it would be usual. */
const DOUBTED = [
  ['m', 2, undefined],
  ['m', 4, undefined],
  ['m', 1.99, undefined],
  ['m', 300, 'cm'],
  ['m', 200, 'cm'],
  ['m', 400, 'cm'],
  ['m', 401, undefined],
  ['m', 30, 'dm'],
  ['cm', 3, undefined],
  ['cm', 0.03, 'm'],
  ['cm', 0.3, 'dm'],
  ['dm', 30, 'cm'],
] as const
for (const [received, value, unit] of DOUBTED)
  test(`a value of ${value} received in ${received}: ${unit ?? 'no other unit'}`, () => {
    const found = unitCases(LENGTH, received, valueOf(0)).find(({ when }) =>
      compileCondition(when)(Float64Array.of(value), new Uint8Array(0), Number.NaN),
    )
    assert.equal(found?.unit, unit)
  })

test('a median at the edge of what is usual, or that is not above 0, is in no doubt or in all', () => {
  assert.equal(likelyUnit(LENGTH, 'm', 4 * 1.149), undefined)
  assert.equal(likelyUnit(LENGTH, 'm', 400), 'cm')
  assert.equal(likelyUnit(LENGTH, 'm', 0), undefined)
  assert.equal(likelyUnit(LENGTH, 'cm', 0.03), 'm')
})
