/** Every model against a second computation from the paper: all combinations of its points, and both sides of every edge. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findModel } from '@patient-risk/catalog'
import { type RecordResult, createScorer } from 'patient-risk-engine'
import { charlson10yRisk, charlson10yScore } from '../../../../test/support/oracles/charlson10y.ts'
import { hospitalRisk, hospitalScore } from '../../../../test/support/oracles/hospital.ts'
import { inouyeRisk, inouyeScore } from '../../../../test/support/oracles/inouye.ts'
import { LACE_WEIGHTS, laceComorbidity, laceRisk, laceScore } from '../../../../test/support/oracles/lace.ts'
import { profundRisk, profundScore } from '../../../../test/support/oracles/profund.ts'
import { WORKED, readmission30Risk } from '../../../../test/support/oracles/readmission30.ts'
import { WALTER_ACTIVITIES, walterRisk, walterScore } from '../../../../test/support/oracles/walter.ts'
import { testCatalog } from '../../../../test/support/serve.ts'

const TODAY = 20260101
const YES_NO = [false, true]

type Assess = (record: object) => RecordResult

function assessWith(name: string): Assess {
  const catalog = testCatalog()
  const model = findModel(catalog, name)
  assert.ok(model, `there is no model ${name}`)
  const scorer = createScorer(catalog.definitions, model.definition, {
    output: { kind: 'number' },
    reportUnknown: true,
    maxRecords: 1,
    maxDepth: 8,
    maxKeys: 1_024,
    maxLineBytes: 1_048_576,
  })
  return (record) => scorer.assess({ idx: 1, ...record }, TODAY)
}

/** Four decimals, and never 0 or 1: the contract's rounding in other words. */
function answered(risk: number): number {
  return Number(Math.min(0.9999, Math.max(0.0001, risk)).toFixed(4))
}

/** Every combination of one value of each list. */
function* combinations<T extends Readonly<Record<string, readonly unknown[]>>>(
  lists: T,
): Generator<{ [K in keyof T]: T[K][number] }> {
  const names = Object.keys(lists)
  const sizes = names.map((name) => lists[name]?.length ?? 0)
  const total = sizes.reduce((product, size) => product * size, 1)
  for (let number = 0; number < total; number++) {
    const combination: Record<string, unknown> = {}
    let rest = number
    names.forEach((name, index) => {
      const size = sizes[index] ?? 1
      combination[name] = lists[name]?.[rest % size]
      rest = Math.floor(rest / size)
    })
    yield combination as { [K in keyof T]: T[K][number] }
  }
}

function hold(result: RecordResult, score: number, risk: number, about: () => string): void {
  // Said only when it fails: wording half a million messages would take longer than scoring.
  if (result.blocked || result.score !== score || result.risk !== risk) {
    assert.fail(`${about()}: expected ${score} and ${risk}, got ${result.score} and ${result.risk}`)
  }
}

test('LACE agrees with the paper for every combination', () => {
  const assess = assessWith('lace')
  const reached = new Set<number>()
  for (const input of combinations({
    days: [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 30, 3650],
    acute: YES_NO,
    comorbidity: Array.from({ length: 30 }, (_, total) => total),
    visits: [0, 1, 2, 3, 4, 5, 200],
  })) {
    const result = assess({
      age: 70,
      stayDays: input.days,
      acuteAdmission: input.acute,
      laceCharlson_total: input.comorbidity,
      edVisits6Months: input.visits,
    })
    const score = laceScore(input)
    reached.add(score)
    hold(result, score, answered(laceRisk(score)), () => JSON.stringify(input))
  }
  assert.equal(reached.size, 20, 'every score from 0 to 19 is reached')
})

test('the comorbidity of LACE agrees with its weights for every choice of conditions', () => {
  const assess = assessWith('lace')
  const rest = { age: 70, stayDays: 0, acuteAdmission: false, edVisits6Months: 0 }
  const lists = Object.fromEntries(Object.entries(LACE_WEIGHTS).map(([name, weight]) => [name, [0, weight]]))
  let count = 0
  for (const weights of combinations(lists)) {
    const comorbidity = laceComorbidity(weights as Record<keyof typeof LACE_WEIGHTS, number>)
    const items = Object.fromEntries(
      Object.entries(weights).map(([name, weight]) => [`laceCharlson_${name}`, weight]),
    )
    const score = laceScore({ days: 0, acute: false, comorbidity, visits: 0 })
    hold(assess({ ...rest, ...items }), score, answered(laceRisk(score)), () => JSON.stringify(items))
    count++
  }
  assert.equal(count, 2 ** 14)
})

test('PROFUND agrees with the paper for every combination', () => {
  const assess = assessWith('profund')
  for (const input of combinations({
    age: [18, 84, 85, 120],
    caregiver: ['none', 'spouse', 'other'],
    neoplasia: YES_NO,
    dementia: YES_NO,
    nyhaOrMrc: YES_NO,
    delirium: YES_NO,
    haemoglobin: [1, 9.99, 10, 30],
    barthel: [0, 55, 60, 100],
    admissions: [0, 3, 4, 100],
  })) {
    const result = assess({
      age: input.age,
      caregiver: input.caregiver,
      activeNeoplasia: input.neoplasia,
      dementia: input.dementia,
      nyhaOrMrc3to4: input.nyhaOrMrc,
      deliriumLastAdmission: input.delirium,
      haemoglobin: input.haemoglobin,
      barthel_total: input.barthel,
      inpatientAdmissions: input.admissions,
    })
    const score = profundScore(input)
    hold(result, score, answered(profundRisk(score)), () => JSON.stringify(input))
  }
})

test('Walter agrees with the paper for every combination', () => {
  const assess = assessWith('walter')
  for (const { male, heartFailure, cancer, creatinine, albumin, ...items } of combinations({
    male: YES_NO,
    ...WALTER_ACTIVITIES,
    heartFailure: YES_NO,
    cancer: ['none', 'solitary', 'metastatic'],
    creatinine: [0.1, 3, 3.0000000000000004, 40],
    albumin: [0.5, 2.99, 3, 3.4, 3.49, 3.5, 8],
  })) {
    const dependent = Object.entries(WALTER_ACTIVITIES).filter(
      ([name, values]) => items[name as keyof typeof items] < (values.at(-1) ?? 0),
    ).length
    const result = assess({
      age: 80,
      sex: male ? 'M' : 'F',
      ...items,
      congestiveHeartFailure: heartFailure,
      cancer,
      creatinine,
      albumin,
    })
    const score = walterScore({ male, dependent, heartFailure, cancer, creatinine, albumin })
    hold(result, score, walterRisk(score), () =>
      JSON.stringify({ ...items, male, heartFailure, cancer, creatinine, albumin }),
    )
  }
})

test('HOSPITAL agrees with the paper for every combination', () => {
  const assess = assessWith('hospital')
  for (const input of combinations({
    haemoglobin: [1, 11.99, 12, 30],
    oncology: YES_NO,
    sodium: [80, 134.9, 135, 220],
    procedure: YES_NO,
    urgent: YES_NO,
    admissions: [0, 1, 2, 5, 6, 100],
    days: [0, 4, 5, 3650],
  })) {
    const result = assess({
      haemoglobin: input.haemoglobin,
      oncologyService: input.oncology,
      sodium: input.sodium,
      procedureDuringStay: input.procedure,
      acuteAdmission: input.urgent,
      inpatientAdmissions: input.admissions,
      stayDays: input.days,
    })
    const score = hospitalScore(input)
    hold(result, score, answered(hospitalRisk(score)), () => JSON.stringify(input))
  }
})

test('Inouye agrees with the paper for every combination', () => {
  const assess = assessWith('inouye')
  for (const input of combinations({
    charlson: Array.from({ length: 34 }, (_, total) => total),
    admissions: [0, 1, 2, 100],
    visits: [0, 5, 6, 366],
    age: [70, 84, 85, 120],
    unmarried: YES_NO,
  })) {
    const result = assess({
      charlson_total: input.charlson,
      inpatientAdmissions: input.admissions,
      primaryCareVisits12Months: input.visits,
      age: input.age,
      unmarried: input.unmarried,
    })
    const score = inouyeScore(input)
    hold(result, score, inouyeRisk(score), () => JSON.stringify(input))
  }
})

test('Charlson over ten years agrees with the formula for every age and index', () => {
  const assess = assessWith('charlson10y')
  for (let age = 18; age <= 120; age++) {
    for (let index = 0; index <= 33; index++) {
      const score = charlson10yScore(age, index)
      const result = assess({ age, charlson_total: index })
      hold(result, score, answered(charlson10yRisk(score)), () => `age ${age}, index ${index}`)
    }
  }
  for (const [score, survival] of [
    [0, 98.3],
    [1, 95.87],
    [2, 90.15],
    [3, 77.48],
    [4, 53.39],
    [5, 21.36],
    [6, 2.25],
  ] as const) {
    assert.equal(
      Number((100 * (1 - charlson10yRisk(score))).toFixed(2)),
      survival,
      'the oracle itself gives the published survival',
    )
  }
})

test('readmission30 agrees with its equation for 100,000 random records', (t) => {
  const assess = assessWith('readmission30')
  const seed = Number(process.env['SEED'] ?? 1)
  t.diagnostic(`seed ${seed}`)
  let state = seed
  const below = (limit: number): number => {
    // The generator of Park and Miller: whole numbers only, the same on every machine.
    state = (state * 48_271) % 2_147_483_647 || 1
    return state % limit
  }
  for (let count = 0; count < 100_000; count++) {
    const input = {
      age: 18 + below(93),
      sex: ['F', 'M', 'X'][below(3)] ?? 'F',
      inpatient: below(101),
      emergency: below(201),
      days: below(2) === 0 ? below(31) : below(3_651),
    }
    const { blocked, risk } = assess({
      age: input.age,
      sex: input.sex,
      inpatientAdmissions: input.inpatient,
      emergencyAdmissions: input.emergency,
      stayDays: input.days,
    })
    const expected = answered(readmission30Risk(input))
    if (blocked || risk !== expected)
      assert.fail(`seed ${seed}: ${JSON.stringify(input)}: expected ${expected}, got ${risk}`)
  }
  for (const [input, risk] of WORKED) assert.ok(Math.abs(readmission30Risk(input) - risk) < 1e-12)
})
