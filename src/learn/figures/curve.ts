/** The smooth calibration curve: the outcome over a restricted cubic spline of the log odds, with its 95 % band. */
import { splinePart } from '../../definition/spline.ts'
import { Design } from '../fit/design.ts'
import { type LogisticFit, fitByPatient, ifEstimable } from '../fit/logistic.ts'
import { orderOf } from '../numbers/radix-order.ts'
import { type Predictions, estimateWith, expit, logOdds } from './predictions.ts'

export interface CurvePoint {
  readonly predicted: number
  readonly observed: number
  readonly from: number
  readonly to: number
}

export interface CalibrationCurve {
  readonly points: readonly CurvePoint[]
  /** The mean distance between a risk and the curve at it, and the distance that 90 % of rows do not exceed. */
  readonly meanDistance: number
  readonly distance90: number
}

const KNOT_SHARES = [0.05, 0.275, 0.5, 0.725, 0.95]
const POINTS = 41

/** Undefined when the risks take too few values, or lie too oddly, to draw a curve through. */
export function calibrationCurve(
  predictions: Predictions,
  order: Uint32Array = orderOf(predictions.risks),
): CalibrationCurve | undefined {
  const odds = predictions.risks.map(logOdds)
  const at = (share: number): number =>
    odds[order[Math.round(share * (order.length - 1))] as number] as number
  const knots = [...new Set(KNOT_SHARES.map(at))]
  const basis: Basis =
    knots.length < 3
      ? [(value) => value]
      : knots.slice(1).map((_knot, part) => (value) => splinePart(knots, part, value))
  const columns = basis.map(
    (part, index) => [`part ${index}`, (row: number): number => part(odds[row] as number)] as const,
  )
  const design = Design.over(predictions, Object.fromEntries(columns))
  return ifEstimable(() => {
    const fit = fitByPatient(design, { start: design.toStandard([0, 1, ...knots.map(() => 0)]) })
    const low = at(0.005)
    const high = at(0.995)
    const points = Array.from({ length: POINTS }, (_each, step) =>
      pointAt(fit, basis, low + ((high - low) * step) / (POINTS - 1)),
    )
    return { points, ...distances(predictions, design.predict(fit.standard)) }
  })
}

type Basis = readonly ((odds: number) => number)[]

function pointAt(fit: LogisticFit, basis: Basis, odds: number): CurvePoint {
  const row = [1, ...basis.map((part) => part(odds))]
  const size = row.length
  let eta = 0
  let variance = 0
  for (let i = 0; i < size; i++) {
    eta += (row[i] as number) * (fit.coefficients[i] as number)
    for (let j = 0; j < size; j++) {
      variance += (row[i] as number) * (row[j] as number) * (fit.covariance[i * size + j] as number)
    }
  }
  const { value, from, to } = estimateWith(eta, Math.sqrt(Math.max(0, variance)))
  return { predicted: expit(odds), observed: expit(value), from: expit(from), to: expit(to) }
}

function distances(
  { risks }: Predictions,
  { risks: onCurve }: Predictions,
): { meanDistance: number; distance90: number } {
  const all = onCurve.map((risk, row) => Math.abs(risk - (risks[row] as number))).sort()
  const mean = all.reduce((sum, distance) => sum + distance, 0) / all.length
  return { meanDistance: mean, distance90: all[Math.floor(0.9 * (all.length - 1))] as number }
}
