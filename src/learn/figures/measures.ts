/** The figures of a bootstrap sample of patients. */
import { NotEstimable } from '../fit/not-estimable.ts'
import { brierScore, fitCalibration } from './calibration.ts'
import { weightedC } from './discrimination.ts'
import type { Predictions, Times } from './predictions.ts'

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
  times: Times,
  knownSlope?: number,
): Measures {
  const cStatistic = weightedC(predictions, order, times)
  if (Number.isNaN(cStatistic)) throw new NotEstimable([])
  const { value, scaled } = brierScore(predictions, times)
  const fitted = (): number => fitCalibration(predictions, 'slope', times).coefficients[1] ?? Number.NaN
  const slope = knownSlope ?? fitted()
  return { cStatistic, brier: value, scaledBrier: scaled, slope }
}
