/** Errors found in public implementations, and values outside a model's population: none of them is ours. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import { createScorer } from 'patient-risk-engine'
import { testCatalog } from '../../../../test/support/serve.ts'

const LACE = { age: 80, stayDays: 0, acuteAdmission: false, laceCharlson_total: 0, edVisits6Months: 0 }
const HOSPITAL = {
  haemoglobin: 13,
  oncologyService: false,
  sodium: 140,
  procedureDuringStay: false,
  acuteAdmission: false,
  inpatientAdmissions: 0,
  stayDays: 0,
}
const CHARLSON = { age: 30, charlson_total: 0 }
const WALTER = {
  age: 80,
  sex: 'F',
  barthel_bathing: 5,
  barthel_dressing: 10,
  barthel_chairTransfers: 15,
  barthel_toiletUse: 10,
  barthel_feeding: 10,
  congestiveHeartFailure: false,
  cancer: 'none',
  creatinine: 1,
  albumin: 4,
}

/** Model · record · the right score · what the wrong implementation gives · its mistake. */
const WRONG: readonly (readonly [string, object, number, number, string])[] = [
  [
    'hospital',
    { ...HOSPITAL, haemoglobin: 11, oncologyService: true, sodium: 130, acuteAdmission: true },
    5,
    4,
    'oncology as 1 point',
  ],
  [
    'hospital',
    {
      ...HOSPITAL,
      haemoglobin: 11,
      oncologyService: true,
      sodium: 130,
      acuteAdmission: true,
      procedureDuringStay: true,
    },
    6,
    5,
    'oncology as 1 point',
  ],
  [
    'hospital',
    {
      ...HOSPITAL,
      oncologyService: true,
      sodium: 130,
      acuteAdmission: true,
      inpatientAdmissions: 3,
      stayDays: 5,
    },
    8,
    7,
    'oncology as 1 point',
  ],
  ['hospital', HOSPITAL, 0, 1, 'a point for no procedure'],
  ['hospital', { ...HOSPITAL, inpatientAdmissions: 1 }, 0, 2, 'points from the first admission'],
  ['lace', { ...LACE, stayDays: 5 }, 4, 5, 'a point for each day'],
  ['lace', { ...LACE, stayDays: 7 }, 5, 7, '7 points from the seventh day'],
  ['lace', { ...LACE, laceCharlson_total: 6 }, 5, 6, 'comorbidity up to 6'],
  [
    'lace',
    { ...LACE, stayDays: 10, acuteAdmission: true, laceCharlson_total: 4, edVisits6Months: 2 },
    15,
    14,
    'comorbidity 4 as 4',
  ],
  ['charlson10y', CHARLSON, 0, 30, 'age in years added to the index'],
  ['walter', { ...WALTER, creatinine: 3 }, 0, 2, '3.0 counted as above 3.0'],
]

function scorerOf(name: string): ReturnType<typeof createScorer> {
  const catalog = testCatalog()
  const definition = findModel(catalog, name)?.definition
  assert.ok(definition)
  return createScorer(catalog.definitions, definition, {
    output: { kind: 'number' },
    reportUnknown: false,
    maxRecords: 1,
    maxDepth: 8,
    maxKeys: 1_024,
    maxLineBytes: 1_048_576,
  })
}

for (const [name, record, right, wrong, mistake] of WRONG) {
  test(`${name} gives ${right}, not ${wrong}: ${mistake}`, () => {
    const { score } = scorerOf(name).assess({ idx: 1, ...record }, 20260101)
    assert.equal(score, right)
    assert.notEqual(score, wrong)
  })
}

test('Charlson over ten years has the exponential in its exponent', () => {
  const { risk } = scorerOf('charlson10y').assess({ idx: 1, age: 60, charlson_total: 4 }, 20260101)
  assert.equal(risk, 0.9775)
  assert.notEqual(risk, Number((1 - 0.983 ** (0.9 * 6)).toFixed(4)))
})

/** Model · record · the field that is refused, or missing. */
const REFUSED: readonly (readonly [string, object, string, string])[] = [
  ['lace', { ...LACE, age: 17 }, 'age', 'out of range'],
  ['lace', { ...LACE, laceCharlson_total: 30 }, 'laceCharlson_total', 'out of range'],
  ['lace', { ...LACE, laceCharlson_aids: 6, laceCharlson_total: 6 }, 'laceCharlson_aids', 'out of range'],
  ['lace', { ...LACE, laceCharlson_aids: 1, laceCharlson_total: null }, 'laceCharlson_aids', 'out of range'],
  ['lace', { ...LACE, acuteAdmission: null }, 'acuteAdmission', ''],
  ['lace', { ...LACE, acuteAdmission: 1 }, 'acuteAdmission', 'not a permitted value'],
  ['walter', { ...WALTER, age: 69 }, 'age', 'out of range'],
  ['walter', { ...WALTER, sex: 'X' }, 'sex', 'not a permitted value'],
  ['walter', { ...WALTER, creatinine: 265 }, 'creatinine', 'out of range'],
  ['walter', { ...WALTER, albumin: 34 }, 'albumin', 'out of range'],
  ['walter', { ...WALTER, barthel_feeding: null, barthel_total: 100 }, 'barthel_feeding', ''],
  ['hospital', { ...HOSPITAL, haemoglobin: 130 }, 'haemoglobin', 'out of range'],
  ['charlson10y', { ...CHARLSON, charlson_total: 34 }, 'charlson_total', 'out of range'],
]
for (const [name, record, field, reason] of REFUSED) {
  test(`${name} refuses ${field} (${reason || 'missing'}) and gives no number`, () => {
    const result = scorerOf(name).assess({ idx: 1, ...record }, 20260101)
    assert.equal(result.blocked, true)
    assert.ok(Number.isNaN(result.risk))
    const found = result.problems.map((problem) => [problem.field, problem.reason ?? ''])
    assert.ok(
      found.some(([at, why]) => at === field && why === reason),
      JSON.stringify(found),
    )
  })
}
