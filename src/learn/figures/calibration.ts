/** Whether risks are of the right size: the mean error, calibration in the large, slope and intercept. */
import { toStandard } from '../fit/back-transform.ts'
import { Design } from '../fit/design.ts'
import { type LogisticFit, fitLogistic } from '../fit/logistic.ts'
import { NotEstimable } from '../fit/not-estimable.ts'
import { withRobustErrors } from '../fit/robust.ts'
import { NORMAL_95 } from '../numbers/chi-square.ts'
import {
  type Estimate,
  type Predictions,
  type Times,
  logOdds,
  needsRobustErrors,
  weightOf,
} from './predictions.ts'

export interface Calibration {
  readonly meanPredicted: number
  readonly observed: number
  /** Observed over expected events. */
  readonly ratio: number
  /** The intercept that remains when the log odds keep their slope of 1; 0 when the mean is right. */
  readonly inTheLarge: Estimate
  readonly intercept: Estimate
  /** Below 1 the risks are too extreme, above 1 too narrow. */
  readonly slope: Estimate
}

/**
 * Standard errors are by patient where patients repeat. Risks that separate the outcome perfectly have no slope: that
 * throws NotEstimable, or gives NaN where `isOwnFit` says that the risks are those of a penalised fit on its own data.
 */
export function calibrationOf(predictions: Predictions, isOwnFit = false): Calibration {
  const means = meansOf(predictions)
  try {
    const line = fitCalibration(predictions, 'slope')
    const inTheLarge = estimateOf(fitCalibration(predictions, 'intercept'), 0)
    return { ...means, inTheLarge, intercept: estimateOf(line, 0), slope: estimateOf(line, 1) }
  } catch (error) {
    if (!(isOwnFit && error instanceof NotEstimable)) throw error
    const unknown = { value: Number.NaN, error: Number.NaN, from: Number.NaN, to: Number.NaN }
    return { ...means, inTheLarge: unknown, intercept: unknown, slope: unknown }
  }
}

export function meansOf(
  predictions: Predictions,
  times?: Times,
): Pick<Calibration, 'meanPredicted' | 'observed' | 'ratio'> {
  const { risks, outcomes } = predictions
  let expected = 0
  let events = 0
  let total = 0
  for (let row = 0; row < risks.length; row++) {
    const weight = weightOf(predictions, row, times)
    expected += weight * (risks[row] as number)
    events += weight * (outcomes[row] as number)
    total += weight
  }
  return { meanPredicted: expected / total, observed: events / total, ratio: events / expected }
}

/** The regression of the outcome on the log odds of the risk: with the slope held at 1, or estimated. */
export function fitCalibration(
  predictions: Predictions,
  kind: 'intercept' | 'slope',
  times?: Times,
): LogisticFit {
  const { risks, outcomes, clusters } = predictions
  const isSlope = kind === 'slope'
  const design = new Design(isSlope ? ['log odds'] : [], {
    offsets: !isSlope,
    weights: predictions.weights !== undefined,
  })
  for (let row = 0; row < risks.length; row++) {
    const odds = logOdds(risks[row] as number)
    design.add(
      isSlope ? [odds] : [],
      outcomes[row] as 0 | 1,
      clusters[row] as number,
      odds,
      weightOf(predictions, row),
    )
  }
  // Most models are not far from intercept 0 and slope 1.
  const start = isSlope ? { start: toStandard(design.standardise(), [0, 1]) } : {}
  const fit = fitLogistic(design, { ...start, ...(times === undefined ? {} : { times }) })
  return times === undefined && needsRobustErrors(predictions) ? withRobustErrors(design, fit) : fit
}

export function estimateOf(fit: LogisticFit, index: number): Estimate {
  const value = fit.coefficients[index] as number
  const error = Math.sqrt(fit.covariance[index * fit.coefficients.length + index] as number)
  return { value, error, from: value - NORMAL_95 * error, to: value + NORMAL_95 * error }
}

export interface BrierScore {
  /** The mean squared distance between risk and outcome. */
  readonly value: number
  /** One minus its ratio to that of the mean risk for everybody. */
  readonly scaled: number
}

export function brierScore(predictions: Predictions, times?: Times): BrierScore {
  const { risks, outcomes } = predictions
  let sum = 0
  let events = 0
  let rows = 0
  for (let row = 0; row < risks.length; row++) {
    const weight = weightOf(predictions, row, times)
    const outcome = outcomes[row] as number
    const distance = (risks[row] as number) - outcome
    sum += weight * distance * distance
    events += weight * outcome
    rows += weight
  }
  const value = sum / rows
  const share = events / rows
  return { value, scaled: 1 - value / (share * (1 - share)) }
}
