/** Fits of invented data with a known truth. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { tryModel } from '@patient-risk/catalog'
import { roundRisk } from 'patient-risk-engine'
import { printJson } from 'patient-risk/cli'
import { RowList } from '../../../src/learn/data/rows.ts'
import {
  Design,
  NotEstimable,
  fitLogistic,
  newtonStepAt,
  NORMAL_95,
  randomFrom,
} from '@patient-risk/statistics'
import {
  assignFolds,
  chooseRidge,
  estimate,
  roundedFit,
  whyNotEstimable,
} from '../../../src/learn/fit/estimate.ts'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import { serve } from '../../../../../test/support/serve.ts'
import {
  CATALOG,
  SPECIFICATION,
  TRUTH,
  csvOf,
  expit,
  fileWith,
  fitInput,
  inventRows,
  newFolder,
} from '../../../../../test/support/learning.ts'

function designOf(seed: number, count: number): Design {
  const list = new RowList()
  for (const { age, sex, admissions, stay, died, patient } of inventRows(count, seed)) {
    list.add([age / 10, sex === 'M' ? 1 : 0, Math.log(1 + admissions), Math.log(1 + stay)], {
      outcome: died,
      patient,
    })
  }
  return new Design(['age', 'male', 'admissions', 'stay'], list.values, list.labels())
}

test('a fit of many rows, which starts from a part of them, has the estimates of one that does not', () => {
  const design = designOf(5, 130_000)
  const near = fitLogistic(design)
  const far = fitLogistic(design, { start: new Float64Array(5) })
  assert.ok(near.iterations < far.iterations)
  for (const part of ['coefficients', 'covariance'] as const)
    near[part].forEach((value, k) => {
      const other = far[part][k] as number
      assert.ok(Math.abs(value - other) <= 1e-12 * Math.max(1, Math.abs(other)), `${part} ${k}`)
    })
})

test('in 200 invented data sets the truth lies within the 95 % interval at the nominal rate', () => {
  const truth = [TRUTH.intercept, TRUTH.age, TRUTH.male, TRUTH.admissions, TRUTH.stay]
  const held = truth.map(() => 0)
  const off = truth.map(() => 0)
  for (let seed = 1; seed <= 200; seed++) {
    const { coefficients, covariance } = fitLogistic(designOf(seed, 600))
    truth.forEach((value, k) => {
      const error = Math.sqrt(covariance[k * truth.length + k] as number)
      const deviations = ((coefficients[k] as number) - value) / error
      if (Math.abs(deviations) <= NORMAL_95) held[k] = (held[k] as number) + 1
      off[k] = (off[k] as number) + deviations
    })
  }
  // 190 of 200 are expected; four standard deviations on either side are 178 and 202.
  for (const count of held) assert.ok(count >= 178, `only ${held.join(', ')} of 200 hold the truth`)
  const all = held.reduce((sum, count) => sum + count, 0)
  // The mean of 200 deviations has an error of 0.07: nothing but chance, and the little that few rows add, moves it.
  for (const sum of off)
    assert.ok(Math.abs(sum / 200) < 0.3, `off by ${off.map((each) => each / 200).join(', ')}`)
  assert.ok(all >= 925 && all <= 975, `${all} of 1000 intervals hold the truth`)
})

test('a ridge fit stands where its penalised gradient is 0, and a strong penalty shrinks to nothing', () => {
  const design = designOf(7, 500)
  const { standard } = fitLogistic(design, { penalty: 25 })
  const { gradient } = newtonStepAt(design, standard, undefined)
  for (let k = 1; k < standard.length; k++) {
    assert.ok(Math.abs((gradient[k] as number) - 25 * (standard[k] as number)) < 1e-6)
  }
  assert.ok(Math.max(...fitLogistic(design, { penalty: 1e9 }).standard.slice(1).map(Math.abs)) < 1e-5)
})

test('the penalty is chosen by patients: no patient lies in two folds, and a seed repeats', () => {
  const folds = assignFolds(101, 10, 3)
  const sizes = Array.from({ length: 10 }, (_each, fold) => folds.filter((own) => own === fold).length)
  assert.deepEqual([...new Set(sizes)].sort(), [10, 11])
  const design = designOf(11, 300)
  assert.deepEqual(chooseRidge(design, 5, 1), chooseRidge(design, 5, 1))
  assert.notDeepEqual(chooseRidge(design, 5, 1).tried, chooseRidge(design, 5, 2).tried)
})

test('a ridge penalty allows columns that separate the outcome perfectly, and dependent columns', () => {
  const list = new RowList()
  for (const { age, died, patient } of inventRows(200, 6))
    list.add([died, age, age], { outcome: died, patient })
  const design = new Design(['tells', 'age', 'age again'], list.values, list.labels())
  assert.equal(whyNotEstimable(design, false).length, 1)
  assert.deepEqual(whyNotEstimable(design, true), [])
  const { penalty } = chooseRidge(design, 5, 1)
  assert.ok(penalty > 0)
  assert.ok(fitLogistic(design, { penalty }).coefficients.every(Number.isFinite))
})

test('a weight counts like that many copies of the row', () => {
  const rows = inventRows(300, 5)
  const weights = Array.from({ length: 150 }, (_each, patient) => patient % 3)
  const weighted = new RowList()
  const repeated = new RowList()
  for (const { age, sex, died, patient } of rows) {
    weighted.add([age, sex === 'M' ? 1 : 0], { outcome: died, patient })
    for (let time = 0; time < (weights[patient] ?? 0); time++)
      repeated.add([age, sex === 'M' ? 1 : 0], { outcome: died, patient })
  }
  const one = fitLogistic(new Design(['age', 'male'], weighted.values, weighted.labels()), { times: weights })
  const other = fitLogistic(new Design(['age', 'male'], repeated.values, repeated.labels()))
  one.coefficients.forEach((value, k) =>
    assert.ok(Math.abs(value - (other.coefficients[k] as number)) < 1e-9),
  )
  one.covariance.forEach((value, k) => assert.ok(Math.abs(value - (other.covariance[k] as number)) < 1e-9))
})

test('diverging estimates are detected and named, although no single column separates the outcome', () => {
  const list = new RowList()
  const rows = inventRows(200, 9)
  rows.forEach(({ age, stay, admissions, patient }) => {
    const b = stay + admissions
    list.add([age, b, admissions], { outcome: age + 3 * b > 75 ? 1 : 0, patient })
  })
  assert.throws(
    () => fitLogistic(new Design(['a', 'b', 'noise'], list.values, list.labels())),
    (error) => error instanceof NotEstimable && error.columns.includes(0) && error.columns.includes(1),
  )
})

test('from a start that is far off, steps are cut until they gain, and the estimates are the same', () => {
  const design = designOf(3, 400)
  const near = fitLogistic(design).coefficients
  for (const far of [4, -6]) {
    const start = new Float64Array(5).fill(far)
    fitLogistic(design, { start }).coefficients.forEach((value, k) =>
      assert.ok(Math.abs(value - (near[k] as number)) < 1e-7),
    )
  }
})

test('the fitted model, deployed, answers over HTTP what the fit itself predicts, for 2,000 records', async () => {
  const rows = inventRows(2_000, 42)
  const input = fitInput(fileWith('rows.csv', csvOf(rows)))
  const { definition, cases } = await fitModel(input)
  const { predictions } = roundedFit(await estimate(input), input.options.decimals)
  const folder = newFolder()
  mkdirSync(`${folder}/models/invented`, { recursive: true })
  writeFileSync(`${folder}/models/invented/invented.json`, printJson(definition))
  writeFileSync(`${folder}/models/invented/cases.json`, printJson(cases))
  const service = await serve({
    clinical: ['clinical', folder],
    deployments: [{ name: 'invented', basePath: '/', model: 'invented', output: 'number' }],
  })
  try {
    assert.deepEqual(service.catalog.models.get('invented@1.0.0')?.selfCheckFailures, [])
    const body = rows.map(({ age, sex, admissions, stay }, idx) => ({
      idx,
      age,
      sex,
      inpatientAdmissions: admissions,
      stayDays: stay,
    }))
    const answer = await service.post(body)
    const results = JSON.parse(answer.text) as { risk: number }[]
    assert.equal(results.length, 2_000)
    results.forEach(({ risk }, row) => assert.equal(risk, roundRisk(predictions.risks[row] as number)))
  } finally {
    await service.close()
  }
})

test('an interaction that was put into the data comes out of the fit, and the model reads records with it', async () => {
  const random = randomFrom(31)
  const rows = inventRows(6_000, 31).map((row) => {
    const stay = Math.log(1 + row.stay)
    const eta = -2 + 0.02 * (row.age - 50) + 0.2 * stay + (row.sex === 'M' ? 0.9 * stay - 1 : 0)
    return { ...row, died: random() < expit(eta) ? (1 as const) : (0 as const) }
  })
  const factors = [
    { kind: 'category', field: 'sex', reference: 'F' },
    { kind: 'logarithm', field: 'stayDays', plus: 1 },
  ]
  const model = {
    ...SPECIFICATION.model,
    terms: [...SPECIFICATION.model.terms, { kind: 'product', label: 'Sex by stay', factors }],
  }
  const { report, definition, cases } = await fitModel(fitInput(fileWith('a.csv', csvOf(rows)), { model }))
  const found = report.fit?.coefficients.find(({ name }) => name === 'sex = M × stayDays')
  assert.ok(found !== undefined && found.from < 0.9 && 0.9 < found.to && found.from > 0.4)
  assert.ok(definition.terms.some(({ kind }) => kind === 'product'))
  const entry = {
    name: 'x',
    definition: { file: 'x', value: definition, digest: '' },
    cases: { file: 'c', value: cases, digest: '' },
  }
  assert.deepEqual(tryModel(definition, entry, CATALOG.definitions).failures, [])
})
