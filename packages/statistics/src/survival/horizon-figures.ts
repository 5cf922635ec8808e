/** How good risks were at a fixed day, from follow-ups of different length. */
import { estimateAt, fitCalibration } from '../fit/fit-calibration.ts'
import { type LogisticFit, NotEstimable, ifEstimable } from '../fit/logistic.ts'
import { NORMAL_95 } from '../numbers/chi-square.ts'
import { type Estimate, type Times, estimateWith, patientsOf, wilson } from '../numbers/predictions.ts'
import { type Concordance, concordanceOf } from './concordance.ts'
import { type Horizon, type HorizonWeights, weighHorizon } from './horizon.ts'
import { type HorizonArea, type HorizonScore, horizonArea, horizonScore } from './horizon-score.ts'
import { eventShare, eventShareEstimate } from './incidence.ts'

/** What can be said of any part of the data. */
export interface HorizonMeans {
  readonly meanRisk: number
  /** The share that had the event by the horizon. */
  readonly observed: Estimate
  /** Observed over expected. Its error is that of its logarithm, and takes the mean risk as known. */
  readonly ratio: Estimate
}

export interface HorizonFigures extends HorizonMeans {
  readonly brier: HorizonScore
  /** The intercept that remains when the log odds keep their slope of 1. */
  readonly inTheLarge: Estimate
  readonly intercept: Estimate
  readonly slope: Estimate
  readonly area: HorizonArea
  readonly concordance: Concordance
}

/** Errors are by patient. Those of the calibration take the weights against censoring as known; samples of patients do not. */
export function horizonFigures(horizon: Horizon): HorizonFigures {
  const weights = weighHorizon(horizon)
  const means = meansFrom(horizon, weights)
  const fits = ifEstimable(() => calibrationFits(horizon, weights.atHorizon))
  // The sandwich without its factor for few patients, as programs for weighted rows print it.
  const patients = patientsOf(horizon.rows)
  const coefficient = (fit: LogisticFit | undefined, index: number): Estimate => {
    const { value, error } = estimateAt(fit, index)
    return estimateWith(value, error * Math.sqrt((patients - 1) / patients))
  }
  return {
    ...means,
    brier: horizonScore(horizon, weights, means.observed.value),
    inTheLarge: coefficient(fits?.large, 0),
    intercept: coefficient(fits?.line, 0),
    slope: coefficient(fits?.line, 1),
    area: horizonArea(horizon, weights),
    concordance: concordanceIn(horizon, weights),
  }
}

export function horizonMeans(horizon: Horizon): HorizonMeans {
  return meansFrom(horizon, weighHorizon(horizon))
}

/** The figures of a sample of patients, by name. Throws NotEstimable where one of them cannot be worked out. */
export function horizonMeasures(horizon: Horizon, times: Times): Readonly<Record<HorizonMeasure, number>> {
  const weights = weighHorizon(horizon, times)
  const observed = eventShare(weights.counts, horizon.timeline)
  const { value: brier, scaled: scaledBrier } = horizonScore(horizon, weights, observed)
  const { value: area, eventFree: eventFreeArea } = horizonArea(horizon, weights)
  const { harrell, uno, wolbers } = concordanceIn(horizon, weights)
  const discrimination = { area, eventFreeArea, harrell, uno, wolbers }
  if (Object.values(discrimination).some(Number.isNaN)) throw new NotEstimable()
  // The weights hold the times already. With them the fits leave out their errors, which a sample does not need.
  const once = new Uint8Array(times.length).fill(1)
  const { large, line } = calibrationFits(horizon, weights.atHorizon, once)
  const [inTheLarge = Number.NaN] = large.coefficients
  const [intercept = Number.NaN, slope = Number.NaN] = line.coefficients
  const ratio = observed / meanRiskOf(horizon, weights)
  return { observed, ratio, brier, scaledBrier, inTheLarge, intercept, slope, ...discrimination }
}

export type HorizonMeasure =
  | 'observed'
  | 'ratio'
  | 'brier'
  | 'scaledBrier'
  | 'inTheLarge'
  | 'intercept'
  | 'slope'
  | 'area'
  | 'eventFreeArea'
  | keyof Concordance

function meanRiskOf({ rows: { risks } }: Horizon, { own }: HorizonWeights): number {
  let sum = 0
  let total = 0
  for (let row = 0; row < risks.length; row++) {
    sum += (own[row] as number) * (risks[row] as number)
    total += own[row] as number
  }
  return sum / total
}

function meansFrom(horizon: Horizon, weights: HorizonWeights): HorizonMeans {
  const { rows, timeline } = horizon
  const meanRisk = meanRiskOf(horizon, weights)
  const { value, error } = eventShareEstimate(rows, timeline, weights.own, weights.counts)
  // As many rows as would give the same error. Without an event there is none, and only who was followed beyond the horizon counts.
  const beyond = timeline.order.length - (timeline.starts[timeline.within] as number)
  const plain = error > 0 ? (value * (1 - value)) / error ** 2 : Math.max(1, beyond)
  const onLog = error / value
  const ratio = value / meanRisk
  return {
    meanRisk,
    observed: { value, error, ...wilson(value, plain) },
    ratio: {
      value: ratio,
      error: onLog,
      from: ratio * Math.exp(-NORMAL_95 * onLog),
      to: ratio * Math.exp(NORMAL_95 * onLog),
    },
  }
}

function concordanceIn({ rows, timeline, ranks }: Horizon, { own, remaining }: HorizonWeights): Concordance {
  return concordanceOf(rows, timeline, ranks, own, remaining)
}

/** Logistic regressions of the event by the horizon on the log odds of the risk, weighted against censoring. */
function calibrationFits({ rows, outcomes }: Horizon, weights: Float64Array, times?: Times) {
  const { risks, clusters } = rows
  const isAny = (outcome: number): boolean =>
    weights.some((weight, row) => weight > 0 && outcomes[row] === outcome)
  // The steps of such a fit become small, and it would seem to settle far away.
  if (!isAny(0) || !isAny(1)) throw new NotEstimable()
  const predictions = { risks, outcomes, clusters, weights }
  return {
    large: fitCalibration(predictions, 'intercept', times),
    line: fitCalibration(predictions, 'slope', times),
  }
}
