/** The smooth calibration curve: the outcome over a restricted cubic spline of the log odds, with its 95 % band. */
import { splinePart } from '../../definition/spline.ts'
import { toStandard } from '../fit/back-transform.ts'
import { Design } from '../fit/design.ts'
import { type LogisticFit, fitLogistic } from '../fit/logistic.ts'
import { NotEstimable } from '../fit/not-estimable.ts'
import { predict } from '../fit/predict.ts'
import { withRobustErrors } from '../fit/robust.ts'
import { NORMAL_95 } from '../numbers/chi-square.ts'
import { orderOf } from '../numbers/radix-order.ts'
import { type Predictions, logOdds, needsRobustErrors, weightOf } from './predictions.ts'

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
  const basis = basisFor(knots)
  const names = basis.map((_part, index) => `part ${index}`)
  const design = new Design(names, { weights: predictions.weights !== undefined })
  const values = new Float64Array(basis.length)
  for (let row = 0; row < odds.length; row++) {
    for (let k = 0; k < basis.length; k++) {
      values[k] = (basis[k] as (odds: number) => number)(odds[row] as number)
    }
    const outcome = predictions.outcomes[row] as 0 | 1
    design.add(values, outcome, predictions.clusters[row] as number, 0, weightOf(predictions, row))
  }
  try {
    const ideal = [0, 1, ...knots.map(() => 0)]
    const plain = fitLogistic(design, { start: toStandard(design.standardise(), ideal) })
    const fit = needsRobustErrors(predictions) ? withRobustErrors(design, plain) : plain
    const low = at(0.005)
    const high = at(0.995)
    const points = Array.from({ length: POINTS }, (_each, step) =>
      pointAt(fit, basis, low + ((high - low) * step) / (POINTS - 1)),
    )
    return { points, ...distances(predictions, predict(design, fit.standard)) }
  } catch (error) {
    if (error instanceof NotEstimable) return undefined
    throw error
  }
}

type Basis = readonly ((odds: number) => number)[]

function basisFor(knots: readonly number[]): Basis {
  if (knots.length < 3) return [(odds) => odds]
  return Array.from(
    { length: knots.length - 1 },
    (_each, part) => (odds: number) => splinePart(knots, part, odds),
  )
}

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
  const margin = NORMAL_95 * Math.sqrt(Math.max(0, variance))
  return { predicted: expit(odds), observed: expit(eta), from: expit(eta - margin), to: expit(eta + margin) }
}

function distances(
  { risks }: Predictions,
  { risks: onCurve }: Predictions,
): { meanDistance: number; distance90: number } {
  const all = onCurve.map((risk, row) => Math.abs(risk - (risks[row] as number)))
  all.sort()
  const mean = all.reduce((sum, distance) => sum + distance, 0) / all.length
  return { meanDistance: mean, distance90: all[Math.floor(0.9 * (all.length - 1))] as number }
}

function expit(eta: number): number {
  return 1 / (1 + Math.exp(-eta))
}
