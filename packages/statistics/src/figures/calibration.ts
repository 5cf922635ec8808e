/** Calibration: the mean error, calibration in the large, slope and intercept. */
import { estimateAt, fitCalibration } from '../fit/fit-calibration.ts'
import { NotEstimable, ifEstimable } from '../fit/logistic.ts'
import { type Estimate, type Predictions, type Times, sumOver } from '../numbers/predictions.ts'

export interface Means {
  readonly meanPredicted: number
  readonly observed: number
  /** Observed over expected events. */
  readonly ratio: number
}

export interface Calibration extends Means {
  /** The intercept that remains when the log odds keep their slope of 1: 0 when the mean is right. */
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
  const fits = ifEstimable(() => ({
    line: fitCalibration(predictions, 'slope'),
    large: fitCalibration(predictions, 'intercept'),
  }))
  if (fits === undefined && !isOwnFit) throw new NotEstimable()
  return {
    ...meansOf(predictions),
    inTheLarge: estimateAt(fits?.large, 0),
    intercept: estimateAt(fits?.line, 0),
    slope: estimateAt(fits?.line, 1),
  }
}

export function meansOf(predictions: Predictions, times?: Times): Means {
  const { risks, outcomes } = predictions
  const expected = sumOver(predictions, (row) => risks[row] as number, times)
  const events = sumOver(predictions, (row) => outcomes[row] as number, times)
  const total = sumOver(predictions, () => 1, times)
  return { meanPredicted: expected / total, observed: events / total, ratio: events / expected }
}

export interface BrierScore {
  /** The mean squared distance between risk and outcome. */
  readonly value: number
  /** One minus the ratio of the value to that of the mean risk for everybody. */
  readonly scaled: number
}

export function brierScore(predictions: Predictions, times?: Times): BrierScore {
  const { risks, outcomes } = predictions
  const distance = (row: number): number => ((risks[row] as number) - (outcomes[row] as number)) ** 2
  const value = sumOver(predictions, distance, times) / sumOver(predictions, () => 1, times)
  const { observed } = meansOf(predictions, times)
  return { value, scaled: 1 - value / (observed * (1 - observed)) }
}
