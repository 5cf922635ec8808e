/** Calibration: the mean error, calibration in the large, slope and intercept. */
import { estimateAt, fitCalibration } from '../fit/fit-calibration.ts'
import { NotEstimable, ifEstimable } from '../fit/logistic.ts'
import { type Estimate, type Predictions, type Times, sumOver } from '../numbers/predictions.ts'

/** `ratio` is observed over expected events. */
export type Means = Readonly<Record<'meanPredicted' | 'observed' | 'ratio', number>>

/**
 * Calibration in the large is the intercept that remains when the log odds keep their slope of 1: 0 when the mean is right.
 * With a slope below 1 the risks are too extreme, above 1 too narrow.
 */
export type Calibration = Means & Readonly<Record<'inTheLarge' | 'intercept' | 'slope', Estimate>>

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

/** The mean squared distance between risk and outcome, and one minus its ratio to that of the mean risk for everybody. */
export function brierScore(predictions: Predictions, times?: Times): Record<'value' | 'scaled', number> {
  const { risks, outcomes } = predictions
  const distance = (row: number): number => ((risks[row] as number) - (outcomes[row] as number)) ** 2
  const value = sumOver(predictions, distance, times) / sumOver(predictions, () => 1, times)
  const { observed } = meansOf(predictions, times)
  return { value, scaled: 1 - value / (observed * (1 - observed)) }
}
