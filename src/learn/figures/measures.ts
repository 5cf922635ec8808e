/** The figures of a sample of patients, each counted as often as it was drawn. */
import { NotEstimable } from '../fit/not-estimable.ts'
import { brierScore, fitCalibration } from './calibration.ts'
import { weightedC } from './discrimination.ts'
import type { Predictions } from './predictions.ts'

export interface Measures {
  readonly cStatistic: number
  readonly brier: number
  readonly scaledBrier: number
  readonly slope: number
}

export const MEASURES = ['cStatistic', 'brier', 'scaledBrier', 'slope'] as const

/** Throws NotEstimable for a sample in which everybody, or nobody, has the event. */
export function measure(
  predictions: Predictions,
  order: Uint32Array,
  weights: ArrayLike<number>,
  knownSlope?: number,
): Measures {
  const cStatistic = weightedC(predictions, order, weights)
  if (Number.isNaN(cStatistic)) throw new NotEstimable([])
  const { value, scaled } = brierScore(predictions, weights)
  const slope = knownSlope ?? slopeOf(predictions, weights)
  return { cStatistic, brier: value, scaledBrier: scaled, slope }
}

function slopeOf(predictions: Predictions, weights: ArrayLike<number>): number {
  return fitCalibration(predictions, 'slope', weights).coefficients[1] as number
}
