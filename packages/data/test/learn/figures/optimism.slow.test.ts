/** Few rows and many inputs that say nothing: the corrected figures are those that new patients give, the apparent ones are not. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Catalog, loadCatalog } from '@patient-risk/catalog'
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { fitModel } from '../../../src/learn/tasks/fit-model.ts'
import type { Optimism } from '../../../src/learn/figures/resampling.ts'
import { randomFrom } from '@patient-risk/statistics'
import { recalibrateModel } from '../../../src/learn/tasks/recalibrate-model.ts'
import { loadRenderer } from 'patient-risk/cli'
import type { Report } from '../../../src/learn/report/report.ts'
import { checkSpecification } from '../../../src/learn/data/specification.ts'
import { validateModel } from '../../../src/learn/tasks/validate-model.ts'
import { SPECIFICATION, fileWith, newFolder } from '../../../../../test/support/learning.ts'

const { renderReport: reportPage } = await loadRenderer()
const NAMES = Array.from({ length: 14 }, (_each, index) => `marker${index + 1}`)
const TRUE_WEIGHTS = [0.7, -0.5]

const folder = newFolder()
const fields = NAMES.map((name) => [name, { type: 'decimal', from: -10, to: 10, meaning: 'Invented.' }])
writeFileSync(
  join(folder, 'fields.json'),
  JSON.stringify({ version: 1, inputs: Object.fromEntries(fields) as unknown }),
)
const catalog = loadCatalog(['clinical', folder]).catalog as Catalog

const specification = checkSpecification({
  data: { outcome: { column: 'y', yes: ['1'], no: ['0'] }, patient: 'patient', decimalComma: false },
  model: {
    ...SPECIFICATION.model,
    inputs: Object.fromEntries(NAMES.map((name) => [name, {}])),
    terms: NAMES.map((field) => ({ kind: 'linear', field })),
  },
  fit: { bootstrap: 0, decimals: 6 },
})
const { data, model: modelSpecification, fit: options = {} } = specification
if (modelSpecification === undefined) throw new Error('the specification has a model')

function rowsOf(count: number, seed: number, times = 1): string {
  const random = randomFrom(seed)
  const lines = Array.from({ length: count }, (_each, patient) => {
    const values = NAMES.map(() => Number(((random() + random() + random() - 1.5) * 2).toFixed(4)))
    const eta = TRUE_WEIGHTS.reduce((sum, weight, k) => sum + weight * (values[k] ?? 0), -1)
    const y = random() < 1 / (1 + Math.exp(-eta)) ? 1 : 0
    return `${[`p${patient}`, ...values, y].join(',')}\n`.repeat(times)
  })
  return `${['patient', ...NAMES, 'y'].join(',')}\n${lines.join('')}`
}

const base = { catalog, data, today: 20260101 }
const refit = { model: modelSpecification, options }
const fresh = fileWith('fresh.csv', rowsOf(20_000, 999))

const small = fileWith('small.csv', rowsOf(220, 12))
const fitted = await fitModel({ ...base, path: small, model: modelSpecification, options })
const validate = (path: string, model: ModelDefinition, samples = 200): Promise<Report> =>
  validateModel({ ...base, path, model, refit, samples, seed: 8 })
const own = await validate(small, fitted.definition)

function correctionOf(report: Report): Optimism {
  assert.ok(report.optimism !== undefined)
  return report.optimism
}

/** Six small data sets: what each promises, and what its model does on many new patients. */
const trials = await Promise.all(
  [12, 13, 14, 15, 16, 17].map(async (seed) => {
    const path = fileWith('small.csv', rowsOf(220, seed))
    const { definition } = await fitModel({ ...base, path, model: modelSpecification, options })
    const promised = correctionOf(await validate(path, definition, 100))
    const { figures } = await validateModel({ ...base, path: fresh, model: definition, samples: 0 })
    const later = {
      cStatistic: figures.cStatistic.value,
      brier: figures.brier.value,
      scaledBrier: figures.brier.scaled,
      slope: figures.calibration.slope.value,
    }
    return { promised, later }
  }),
)
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const NEAR = [
  ['cStatistic', 0.02],
  ['brier', 0.006],
  ['scaledBrier', 0.03],
  ['slope', 0.08],
] as const
for (const [name, within] of NEAR) {
  test(`corrected, ${name} comes near what new patients give; as it appears, it does not`, () => {
    const corrected = mean(trials.map(({ promised, later }) => promised[name].corrected - later[name]))
    const apparent = mean(trials.map(({ promised, later }) => promised[name].apparent - later[name]))
    assert.ok(Math.abs(corrected) < within, `corrected it lies ${corrected} off`)
    assert.ok(Math.abs(apparent) > 3 * within, `apparent it lies ${apparent} off`)
  })
}

test('the apparent figures are those of the model, which is known to come from these data', () => {
  const { ownData, cStatistic, brier, of } = correctionOf(own)
  assert.equal(of, 'refit')
  assert.equal(ownData, true)
  assert.ok(Math.abs(cStatistic.apparent - own.figures.cStatistic.value) < 1e-6)
  assert.ok(Math.abs(brier.apparent - own.figures.brier.value) < 1e-6)
  assert.match(reportPage(own), /These are the data that the model was made from/)
})

test('the fit itself gives the same correction from the same seed, and a seed repeats', async () => {
  const again = await fitModel({
    ...base,
    path: small,
    model: modelSpecification,
    options: { ...options, bootstrap: 200, seed: 8 },
  })
  const { cStatistic, brier, scaledBrier, slope } = correctionOf(own)
  const expected = { of: 'fit', samples: 200, seed: 8, failed: 0, cStatistic, brier, scaledBrier, slope }
  assert.deepEqual(again.report.optimism, expected)
})

test('on other data the model’s own figures stand, and the correction is of a model that is fitted again', async () => {
  const report = await validate(fileWith('other.csv', rowsOf(400, 77)), fitted.definition, 20)
  assert.equal(report.optimism?.ownData, false)
  assert.match(reportPage(report), /These are not the data that the model was made from/)
})

test('data that cannot be fitted are validated anyway, and the report says why', async () => {
  const [header = '', ...lines] = rowsOf(300, 5).trimEnd().split('\n')
  const constant = lines.map((line) => line.split(',').with(14, '1.5').join(','))
  const path = fileWith('constant.csv', `${[header, ...constant].join('\n')}\n`)
  const report = await validate(path, fitted.definition, 20)
  assert.equal(report.optimism, undefined)
  assert.match(report.uncorrected?.join() ?? '', /“marker14” is the same in every row/)
  assert.match(reportPage(report), /Nothing is corrected for optimism/)
  assert.ok(report.intervals !== undefined)
})

test('samples are drawn by patient: tripled rows change nothing', async () => {
  const tripled = await validate(fileWith('tripled.csv', rowsOf(220, 12, 3)), fitted.definition, 30)
  const once = await validate(small, fitted.definition, 30)
  for (const name of ['cStatistic', 'brier', 'slope'] as const) {
    const a = correctionOf(tripled)[name].optimism
    const b = correctionOf(once)[name].optimism
    assert.ok(Math.abs(a - b) < 1e-9, `${name}: ${a} and ${b}`)
    const spanA = tripled.intervals?.[name]
    const spanB = once.intervals?.[name]
    assert.ok(Math.abs((spanA?.[0] ?? 0) - (spanB?.[0] ?? 1)) < 1e-9)
  }
})

test('every figure has its interval by patient, and holds its estimate', () => {
  const { intervals, figures } = own
  assert.ok(intervals !== undefined)
  const { calibration } = figures
  const pairs: readonly (readonly [readonly [number, number], number])[] = [
    [intervals.cStatistic, figures.cStatistic.value],
    [intervals.brier, figures.brier.value],
    [intervals.scaledBrier, figures.brier.scaled],
    [intervals.inTheLarge, calibration.inTheLarge.value],
    [intervals.intercept, calibration.intercept.value],
    [intervals.slope, calibration.slope.value],
    [intervals.ratio, calibration.ratio],
  ]
  for (const [[from, to], value] of pairs) assert.ok(from < value && value < to, `${from}, ${value}, ${to}`)
})

test('figures at the threshold have intervals by patient too', async () => {
  const report = await validateModel({
    ...base,
    path: small,
    model: fitted.definition,
    threshold: 0.3,
    samples: 60,
  })
  const at = report.figures.thresholds.find(({ threshold }) => threshold === 0.3)
  const spans = report.intervals?.atThreshold
  assert.ok(at !== undefined && spans !== undefined)
  for (const name of ['flagged', 'sensitivity', 'specificity', 'positiveValue', 'netBenefit'] as const)
    assert.ok(spans[name][0] < at[name] && at[name] < spans[name][1], name)
})

test('a refit of a model on few rows is corrected too, towards what new patients give', async () => {
  const few = fileWith('few.csv', rowsOf(220, 31))
  const made = await recalibrateModel({
    ...base,
    path: few,
    model: fitted.definition,
    method: 'refit',
    version: '1.1.0',
    samples: 100,
    seed: 3,
  })
  const later = await validateModel({ ...base, path: fresh, model: made.definition, samples: 0 })
  const { cStatistic, of } = correctionOf(made.report)
  assert.equal(of, 'recalibration')
  const truth = later.figures.cStatistic.value
  assert.ok(cStatistic.apparent - truth > 0.05, `apparent ${cStatistic.apparent}, later ${truth}`)
  assert.ok(
    Math.abs(cStatistic.corrected - truth) < 0.035,
    `corrected ${cStatistic.corrected}, later ${truth}`,
  )
  assert.match(reportPage(made.report), /including its choice of method/)
})
