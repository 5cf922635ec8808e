/** All figures of a model on labelled data, as a report shows them. */
import { orderOf } from '../numbers/radix-order.ts'
import { type BrierScore, type Calibration, brierScore, calibrationOf, meansOf } from './calibration.ts'
import { type CalibrationCurve, calibrationCurve } from './curve.ts'
import { cStatistic } from './discrimination.ts'
import {
  type Estimate,
  type Predictions,
  eventsOf,
  patientsOf,
  shareEstimate,
  subset,
} from './predictions.ts'
import { type ThresholdFigures, thresholdTable } from './thresholds.ts'

export interface Figures {
  readonly rows: number
  readonly events: number
  readonly patients: number
  readonly cStatistic: Estimate
  readonly brier: BrierScore
  readonly calibration: Calibration
  readonly curve?: CalibrationCurve
  readonly groups: readonly RiskGroup[]
  readonly thresholds: readonly ThresholdFigures[]
  /** Net benefit over the thresholds from 1 % on. */
  readonly decision: readonly ThresholdFigures[]
  readonly histogram: Histogram
}

export interface RiskGroup {
  readonly rows: number
  readonly events: number
  readonly predicted: number
  readonly observed: number
  /** Wilson's 95 % interval of the observed share, by patient. */
  readonly from: number
  readonly to: number
  readonly lowest: number
  readonly highest: number
}

/** How many rows with and without the event have a risk in each bin of equal width. */
export interface Histogram {
  readonly width: number
  readonly events: readonly number[]
  readonly others: readonly number[]
}

const TABLE_THRESHOLDS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5]
const DECISION_STEPS = 60
const BIN_WIDTH = 0.02
const GROUPS = 10

export function figuresOf(
  predictions: Predictions,
  threshold: number | undefined,
  isOwnFit = false,
): Figures {
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
    ...(curve === undefined ? {} : { curve }),
    groups: riskGroups(predictions, order),
    thresholds: thresholds.map(at),
    decision: Array.from({ length: DECISION_STEPS }, (_each, step) => at((step + 1) / 100)),
    histogram: histogramOf(predictions),
  }
}

/** Ten groups of rising risk. Rows of the same risk stay together, so a score of few values gives fewer groups. */
export function riskGroups(
  predictions: Predictions,
  order: Uint32Array = orderOf(predictions.risks),
): readonly RiskGroup[] {
  const { risks } = predictions
  const riskAt = (place: number): number => risks[order[place] as number] as number
  const groups: RiskGroup[] = []
  for (let start = 0, end = 0; start < order.length; start = end) {
    const wanted = Math.max(start + 1, Math.round(((groups.length + 1) * order.length) / GROUPS))
    end = Math.min(order.length, wanted)
    while (end < order.length && riskAt(end) === riskAt(end - 1)) end++
    const [lowest, highest] = [riskAt(start), riskAt(end - 1)]
    const isIn = (row: number): boolean =>
      (risks[row] as number) >= lowest && (risks[row] as number) <= highest
    const part = subset(predictions, isIn)
    const { value: observed, from, to } = shareEstimate(part, (row) => part.outcomes[row] === 1)
    const predicted = meansOf(part).meanPredicted
    const rows = part.risks.length
    groups.push({ rows, events: eventsOf(part), predicted, observed, from, to, lowest, highest })
  }
  return groups
}

function histogramOf({ risks, outcomes }: Predictions): Histogram {
  const bins = Math.round(1 / BIN_WIDTH)
  const counts = [new Array<number>(bins).fill(0), new Array<number>(bins).fill(0)] as const
  risks.forEach((risk, row) => {
    const side = counts[outcomes[row] as 0 | 1]
    const bin = Math.min(bins - 1, Math.floor(risk / BIN_WIDTH))
    side[bin] = (side[bin] as number) + 1
  })
  return { width: BIN_WIDTH, events: counts[1], others: counts[0] }
}
