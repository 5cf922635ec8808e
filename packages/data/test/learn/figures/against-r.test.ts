/** The arithmetic of learning against figures that R gave for the same rows: see r/figures.R. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { splineAt } from 'patient-risk-engine/definition'
import {
  brierScore,
  calibrationOf,
  cStatistic,
  Design,
  fitLogistic,
  robustCovariance,
  chiSquareLimit,
  chiSquareTail,
  noncentralTail,
} from '@patient-risk/statistics'
import { thresholdTable } from '../../../src/learn/figures/thresholds.ts'
import { RowList } from '../../../src/learn/data/rows.ts'

import { candidatesFor } from '../../../src/learn/fit/recalibrate-candidates.ts'
import { newFolder } from '../../../../../test/support/learning.ts'

const folder = new URL('r/', import.meta.url)
const R = JSON.parse(readFileSync(new URL('figures.json', folder), 'utf8')) as Record<string, number> &
  Record<string, readonly number[]>

const hasR = spawnSync('Rscript', ['--version']).status === 0
test(
  'R gives the stored figures for the stored rows, where it is installed',
  { skip: hasR ? false : 'R is not installed; the stored figures stand in for it' },
  () => {
    const place = newFolder()
    const { status, stderr } = spawnSync('Rscript', [fileURLToPath(new URL('figures.R', folder))], {
      cwd: place,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    const made = readFileSync(join(place, 'rows.csv'), 'utf8')
    assert.equal(made, readFileSync(new URL('rows.csv', folder), 'utf8'))
    const figures = JSON.parse(readFileSync(join(place, 'figures.json'), 'utf8')) as typeof R
    assert.deepEqual(Object.keys(figures), Object.keys(R))
    for (const [name, stored] of Object.entries(R)) {
      const now = [figures[name]].flat() as readonly number[]
      ;[stored].flat().forEach((value, index) => {
        assert.ok(Math.abs((now[index] ?? Number.NaN) - value) < 1e-10, name)
      })
    }
  },
)

const rows = readFileSync(new URL('rows.csv', folder), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [patient, age, sex, stay, albumin, y] = line.split(',')
    return {
      patient: Number(patient),
      age: Number(age),
      male: sex === 'M' ? 1 : 0,
      stay: Number(stay),
      albumin: Number(albumin),
      y: Number(y) as 0 | 1,
    }
  })

const list = new RowList()
for (const { patient, age, male, stay, albumin, y } of rows) {
  list.add([age / 10, (age / 10) ** 2, male, Math.log(1 + stay), albumin], { outcome: y, patient })
}
const design = new Design(['age', 'age²', 'male', 'stay', 'albumin'], list.values, list.labels())
const fit = fitLogistic(design)
const size = fit.coefficients.length
const errorsOf = (covariance: Float64Array): number[] =>
  Array.from({ length: size }, (_each, k) => Math.sqrt(covariance[k * size + k] as number))

function close(name: string, ours: ArrayLike<number>, theirs: readonly number[], within: number): void {
  test(`${name}: as R gives it, to ${within}`, () => {
    assert.equal(ours.length, theirs.length)
    theirs.forEach((value, index) => {
      assert.ok(Math.abs((ours[index] as number) - value) <= within, `${ours[index]} and ${value}`)
    })
  })
}
const figure = (name: string): readonly number[] => [R[name]].flat() as readonly number[]

close('coefficients', fit.coefficients, figure('coefficients'), 1e-8)
close('standard errors', errorsOf(fit.covariance), figure('errors'), 1e-6)
close('errors by patient', errorsOf(robustCovariance(design, fit)), figure('clusteredErrors'), 1e-6)
close('log likelihood', [fit.logLikelihood], figure('logLikelihood'), 1e-8)

/** Every row as a patient of its own, and as the file has it. */
const apart = Int32Array.from(rows.keys())
const clusters = Int32Array.from(rows, ({ patient }) => patient)
const outcomes = Uint8Array.from(rows, ({ y }) => y)
const own = {
  risks: Float64Array.from(rows, ({ age, male, stay, albumin }) => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = fit.coefficients
    const eta = a + (b * age) / 10 + c * (age / 10) ** 2 + d * male + e * Math.log(1 + stay) + f * albumin
    return 1 / (1 + Math.exp(-eta))
  }),
  outcomes,
  clusters: apart,
}
const ownC = cStatistic(own)
close('c-statistic', [ownC.value], figure('c'), 1e-9)
close('its error', [ownC.error], figure('cError'), 1e-9)
close('Brier score', [brierScore(own).value], figure('brier'), 1e-9)

const other = {
  risks: Float64Array.from(
    rows,
    ({ age, stay }) => Math.round(1000 / (1 + Math.exp(4.2 - 0.045 * age - 0.1 * stay))) / 1000,
  ),
  outcomes,
  clusters: apart,
}
const calibration = calibrationOf(other)
const otherC = cStatistic(other)
close('c-statistic with ties', [otherC.value], figure('otherC'), 1e-9)
close('its error with ties', [otherC.error], figure('otherCError'), 1e-9)
close('Brier score of another model', [brierScore(other).value], figure('otherBrier'), 1e-9)
close('calibration intercept', [calibration.intercept.value], figure('otherIntercept'), 1e-6)
close('calibration slope', [calibration.slope.value], figure('otherSlope'), 1e-6)
close('their errors', [calibration.intercept.error, calibration.slope.error], figure('otherLineErrors'), 1e-6)
close('calibration in the large', [calibration.inTheLarge.value], figure('otherInTheLarge'), 1e-6)
close('its error', [calibration.inTheLarge.error], figure('otherInTheLargeError'), 1e-6)
close('net benefit', [thresholdTable(other)(0.2).netBenefit], figure('netBenefitAt02'), 1e-12)

const repeated = { ...other, clusters }
const byPatient = calibrationOf(repeated)
close('c-statistic, error by patient', [cStatistic(repeated).error], figure('otherCErrorByPatient'), 1e-9)
close(
  'calibration, errors by patient',
  [byPatient.intercept.error, byPatient.slope.error],
  figure('otherLineErrorsByPatient'),
  1e-6,
)
close(
  'calibration in the large, error by patient',
  [byPatient.inTheLarge.error],
  figure('otherInTheLargeErrorByPatient'),
  1e-6,
)

/** The terms and links of the models that are recalibrated in figures.R. */
const pointsOf = ({ age, male, stay }: (typeof rows)[number]): readonly number[] => [
  roundHalfEven(age / 20),
  2 * male,
  Math.min(stay, 4),
]
const scoreOf = (row: (typeof rows)[number]): number => pointsOf(row).reduce((sum, each) => sum + each, 0)
const expit = (odds: number): number => 1 / (1 + Math.exp(-odds))
const logisticOf = (score: number): number => expit(-3 + 0.35 * score)
function strataOf(score: number): number {
  if (score < 4) return 0.1
  return score < 7 ? 0.25 : 0.5
}

const LINKS = {
  logistic: logisticOf,
  recalibrated: (score: number) => expit(0.2 + 0.9 * (-3 + 0.35 * score)),
  scoreTable: (score: number) => Math.round(1000 * expit(-2.5 + 0.25 * score)) / 1000,
  strata: strataOf,
  survival: (score: number) => 1 - 0.9 ** Math.exp(0.15 * score),
} as const
for (const kind of Object.keys(LINKS) as (keyof typeof LINKS)[]) {
  const link = kind === 'recalibrated' ? { kind, of: { kind: 'logistic' } } : { kind }
  const predictions = {
    risks: Float64Array.from(rows, (row) => LINKS[kind](scoreOf(row))),
    outcomes,
    clusters,
  }
  const points = Float64Array.from(rows.flatMap(pointsOf))
  const candidates = candidatesFor({ link, terms: [] } as never, predictions, points, 3)
  const { comparisons, terms, chosen } = candidates.test()
  const expected = figure(kind)
  const tests = [...comparisons, ...(terms === undefined ? [] : [terms])]
  close(
    `recalibration, link ${kind}: intercept`,
    candidates.fitOf('intercept').coefficients,
    expected.slice(0, 1),
    1e-6,
  )
  close(
    `recalibration, link ${kind}: slope`,
    candidates.fitOf('slope').coefficients,
    expected.slice(1, 3),
    1e-6,
  )
  // The closed test ends at the first change that is enough, so the last of R's tests may not be needed.
  const ours = tests.flatMap(({ statistic, degrees, pValue }) => [statistic, degrees, pValue])
  const theirs = [expected.slice(3, 6), expected.slice(6, 9), expected.slice(9)]
  const needed = [...theirs.slice(0, comparisons.length), ...(terms === undefined ? [] : [theirs[2] ?? []])]
  close(`recalibration, link ${kind}: tests by patient`, ours, needed.flat(), 1e-6)
  test(`recalibration, link ${kind}: the choice is the one that R's tests give`, () => {
    const steps = terms === undefined ? ['none', 'intercept', 'slope'] : ['none', 'intercept']
    const enough = steps.findIndex((_step, k) => (theirs[k]?.[2] ?? 0) >= 0.05)
    const last = terms === undefined ? 'refit' : 'slope'
    assert.equal(chosen, enough < 0 ? last : steps[enough])
  })
}

/** R rounds halves to the even number. */
function roundHalfEven(value: number): number {
  const whole = Math.round(value)
  return Math.abs(value % 1) === 0.5 && whole % 2 !== 0 ? whole - 1 : whole
}

const knots = [25, 40, 60, 75, 95]
const basis = (age: number): number[] =>
  [0, 1, 2, 3].map((part) => splineAt(knots, [0, 0, 0, 0].with(part, 1), age))
const curved = new RowList()
for (const { age, y, patient } of rows) curved.add(basis(age), { outcome: y, patient })
const curve = fitLogistic(new Design(['a', 'b', 'c', 'd'], curved.values, curved.labels()))
const curveAt = (age: number): number => {
  const eta = basis(age).reduce(
    (sum, value, part) => sum + value * (curve.coefficients[part + 1] as number),
    curve.coefficients[0] as number,
  )
  return 1 / (1 + Math.exp(-eta))
}
close('log likelihood of a curve', [curve.logLikelihood], figure('curveLogLikelihood'), 1e-8)
close('the curve', [30, 62, 90].map(curveAt), figure('curveAt30And62And90'), 1e-8)

const TAILS = [
  [0.5, 1],
  [3.84, 1],
  [12, 6],
  [40, 9],
  [7.3, 7],
] as const
close(
  'tails of the chi-square',
  TAILS.map(([statistic, degrees]) => chiSquareTail(statistic, degrees)),
  figure('chiSquareTails'),
  1e-12,
)

const SHIFTED = [
  [5.99, 2, 9.63],
  [12.6, 6, 3],
  [3.84, 1, 0.2],
  [40, 9, 60],
] as const
close(
  'tails of the noncentral chi-square',
  SHIFTED.map(([statistic, degrees, shift]) => noncentralTail(statistic, degrees, shift)),
  figure('noncentralTails'),
  1e-9,
)
close(
  'limits of the chi-square at 5 %',
  [1, 2, 6, 31].map((degrees) => chiSquareLimit(0.05, degrees)),
  figure('chiSquareLimits'),
  1e-9,
)
