/** The arithmetic of learning against figures that R gave for the same rows: see r/figures.R. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { splineAt } from '../../src/definition/spline.ts'
import { brierScore, calibrationOf } from '../../src/learn/figures/calibration.ts'
import { cStatistic } from '../../src/learn/figures/discrimination.ts'
import { ThresholdTable } from '../../src/learn/figures/thresholds.ts'
import { Design } from '../../src/learn/fit/design.ts'
import { fitLogistic } from '../../src/learn/fit/logistic.ts'
import { robustCovariance } from '../../src/learn/fit/robust.ts'
import { chiSquareTail } from '../../src/learn/numbers/chi-square.ts'
import { newFolder } from './learning.ts'

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

const design = new Design(['age', 'age²', 'male', 'stay', 'albumin'])
for (const { patient, age, male, stay, albumin, y } of rows) {
  design.add([age / 10, (age / 10) ** 2, male, Math.log(1 + stay), albumin], y, patient)
}
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

const clusters = Int32Array.from(rows, ({ patient }) => patient)
const outcomes = Uint8Array.from(rows, ({ y }) => y)
const own = {
  risks: Float64Array.from(rows, ({ age, male, stay, albumin }) => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = fit.coefficients
    const eta = a + (b * age) / 10 + c * (age / 10) ** 2 + d * male + e * Math.log(1 + stay) + f * albumin
    return 1 / (1 + Math.exp(-eta))
  }),
  outcomes,
  clusters,
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
  clusters,
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
close('net benefit', [new ThresholdTable(other).at(0.2).netBenefit], figure('netBenefitAt02'), 1e-12)

const knots = [25, 40, 60, 75, 95]
const basis = (age: number): number[] =>
  [0, 1, 2, 3].map((part) => splineAt(knots, [0, 0, 0, 0].with(part, 1), age))
const curved = new Design(['a', 'b', 'c', 'd'])
for (const { age, y, patient } of rows) curved.add(basis(age), y, patient)
const curve = fitLogistic(curved)
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
