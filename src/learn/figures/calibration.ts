/** Whether risks are of the right size: the mean error, calibration in the large, slope and intercept. */
import { toStandard } from '../fit/back-transform.ts'
import { Design } from '../fit/design.ts'
import { type LogisticFit, fitLogistic } from '../fit/logistic.ts'
import { NORMAL_95 } from '../numbers/chi-square.ts'
import { type Estimate, type Predictions, logOdds } from './predictions.ts'

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

export function calibrationOf(predictions: Predictions): Calibration {
  const { risks, outcomes } = predictions
  let expected = 0
  let events = 0
  for (let row = 0; row < risks.length; row++) {
    expected += risks[row] as number
    events += outcomes[row] as number
  }
  const line = fitCalibration(predictions, 'slope')
  return {
    meanPredicted: expected / risks.length,
    observed: events / risks.length,
    ratio: events / expected,
    inTheLarge: estimateOf(fitCalibration(predictions, 'intercept'), 0),
    intercept: estimateOf(line, 0),
    slope: estimateOf(line, 1),
  }
}

/** The regression of the outcome on the log odds of the risk: with the slope held at 1, or estimated. */
export function fitCalibration(
  { risks, outcomes, clusters }: Predictions,
  kind: 'intercept' | 'slope',
  weights?: ArrayLike<number>,
): LogisticFit {
  const design = kind === 'slope' ? new Design(['log odds']) : new Design([], true)
  for (let row = 0; row < risks.length; row++) {
    const odds = logOdds(risks[row] as number)
    const outcome = outcomes[row] as 0 | 1
    const cluster = clusters[row] as number
    if (kind === 'slope') design.add([odds], outcome, cluster)
    else design.add([], outcome, cluster, odds)
  }
  // Most models are not far from intercept 0 and slope 1.
  const start = kind === 'slope' ? { start: toStandard(design.standardise(), [0, 1]) } : {}
  return fitLogistic(design, { ...start, ...(weights === undefined ? {} : { weights }) })
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

/** Each cluster counts so many times; without weights, once. */
export function brierScore(
  { risks, outcomes, clusters }: Predictions,
  weights?: ArrayLike<number>,
): BrierScore {
  let sum = 0
  let events = 0
  let rows = 0
  for (let row = 0; row < risks.length; row++) {
    const times = weights === undefined ? 1 : (weights[clusters[row] as number] as number)
    const outcome = outcomes[row] as number
    const distance = (risks[row] as number) - outcome
    sum += times * distance * distance
    events += times * outcome
    rows += times
  }
  const value = sum / rows
  const share = events / rows
  return { value, scaled: 1 - value / (share * (1 - share)) }
}
