/** All figures of a model on labelled data, as a report shows them. */
import { splinePart } from 'patient-risk-engine/definition'
import { DataError } from '../../tables/data-error.ts'
import {
  Design,
  type LogisticFit,
  fitByPatient,
  ifEstimable,
  type Calibration,
  type BrierScore,
  brierScore,
  calibrationOf,
  cStatistic,
  type Estimate,
  type Predictions,
  estimateWith,
  eventsOf,
  expit,
  logOdds,
  orderOf,
  patientsOf,
  type RiskGroup,
  riskGroups,
} from '@patient-risk/statistics'
import { type ThresholdFigures, thresholdTable } from './thresholds.ts'

export interface Figures {
  readonly rows: number
  readonly events: number
  readonly patients: number
  readonly cStatistic: Estimate
  readonly brier: BrierScore
  readonly calibration: Calibration
  readonly curve?: NonNullable<ReturnType<typeof calibrationCurve>>
  readonly groups: readonly RiskGroup[]
  readonly thresholds: readonly ThresholdFigures[]
  /** Net benefit over the thresholds from 1 % on. */
  readonly decision: readonly ThresholdFigures[]
  /** How many rows with and without the event have a risk in each bin of equal width. */
  readonly histogram: ReturnType<typeof histogramOf>
}

const TABLE_THRESHOLDS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5]
const DECISION_STEPS = 60
const BIN_WIDTH = 0.02
const KNOT_SHARES = [0.05, 0.275, 0.5, 0.725, 0.95]
const POINTS = 41

export function figuresOf(predictions: Predictions, threshold?: number, isOwnFit = false): Figures {
  const at = thresholdTable(predictions)
  const own = threshold === undefined ? [] : [threshold]
  const thresholds = [...new Set([...TABLE_THRESHOLDS, ...own])].sort((a, b) => a - b)
  const order = orderOf(predictions.risks)
  const curve = calibrationCurve(predictions, order)
  return {
    rows: predictions.risks.length,
    events: eventsOf(predictions),
    patients: patientsOf(predictions),
    cStatistic: cStatistic(predictions, order),
    brier: brierScore(predictions),
    calibration: calibrationOf(predictions, isOwnFit),
    ...(curve && { curve }),
    groups: riskGroups(predictions, order),
    thresholds: thresholds.map(at),
    decision: Array.from({ length: DECISION_STEPS }, (_each, step) => at((step + 1) / 100)),
    histogram: histogramOf(predictions),
  }
}

/**
 * The smooth calibration curve: the outcome over a restricted cubic spline of the log odds, with its 95 % band.
 * Undefined when the risks take too few values, or lie too close together, to draw a curve through.
 */
function calibrationCurve(predictions: Predictions, order: Uint32Array) {
  const { risks } = predictions
  const odds = risks.map(logOdds)
  const at = (share: number): number =>
    odds[order[Math.round(share * (order.length - 1))] as number] as number
  const knots = [...new Set(KNOT_SHARES.map(at))]
  // A straight line where there are too few knots for a curve.
  const parts = [...knots.keys()].slice(0, knots.length < 3 ? 1 : -1)
  const columns = parts.map((part) => (row: number) => splinePart(knots, part, odds[row] as number))
  const design = Design.over(predictions, columns)
  return ifEstimable(() => {
    const fit = fitByPatient(design, { start: design.toStandard([0, 1, ...knots.map(() => 0)]) })
    const low = at(0.005)
    const high = at(0.995)
    const points = Array.from({ length: POINTS }, (_each, step) => {
      const here = low + ((high - low) * step) / (POINTS - 1)
      const columnsHere = parts.map((part) => splinePart(knots, part, here))
      const { value, from, to } = estimateOver(fit, [1, ...columnsHere])
      return { predicted: expit(here), observed: expit(value), from: expit(from), to: expit(to) }
    })
    const { risks: onCurve } = design.predict(fit.standard)
    const distances = onCurve.map((risk, row) => Math.abs(risk - (risks[row] as number))).sort()
    return {
      points,
      /** The mean distance between a risk and the curve at it, and the distance that 90 % of rows do not exceed. */
      meanDistance: distances.reduce((sum, distance) => sum + distance, 0) / distances.length,
      distance90: distances[Math.floor(0.9 * (distances.length - 1))] as number,
    }
  })
}

/** What the coefficients of a fit give for a row of its columns. */
function estimateOver({ coefficients, covariance }: LogisticFit, row: readonly number[]): Estimate {
  let value = 0
  let variance = 0
  row.forEach((own, i) => {
    value += own * (coefficients[i] as number)
    row.forEach((other, j) => (variance += own * other * (covariance[i * row.length + j] as number)))
  })
  return estimateWith(value, Math.sqrt(Math.max(0, variance)))
}

function histogramOf({ risks, outcomes }: Predictions) {
  const bins = Math.round(1 / BIN_WIDTH)
  const counts = [new Array<number>(bins).fill(0), new Array<number>(bins).fill(0)] as const
  risks.forEach((risk, row) => {
    const side = counts[outcomes[row] as 0 | 1]
    const bin = Math.min(bins - 1, Math.floor(risk / BIN_WIDTH))
    side[bin] = (side[bin] as number) + 1
  })
  return { width: BIN_WIDTH, events: counts[1], others: counts[0] }
}

export function orRefuse<T>(path: string, work: () => T): T {
  const result = ifEstimable(work)
  if (result !== undefined) return result
  throw new DataError([
    `${path}: calibration cannot be estimated, because the risks are the same in every row or predict the outcome perfectly; more rows are needed`,
  ])
}
