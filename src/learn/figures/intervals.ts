/** 95 % intervals of a model's figures from samples of patients: several rows of one patient are one draw. */
import { NotEstimable } from '../fit/logistic.ts'
import { randomFrom, resample } from '../numbers/random.ts'
import { orderOf } from '../numbers/radix-order.ts'
import type { OnStep } from './bootstrap.ts'
import { fitCalibration, weightedBrier } from './calibration.ts'
import { weightedC } from './discrimination.ts'
import type { Predictions } from './predictions.ts'

export interface BootstrapIntervals {
  readonly samples: number
  readonly seed: number
  readonly cStatistic: readonly [number, number]
  readonly brier: readonly [number, number]
  readonly inTheLarge: readonly [number, number]
  readonly slope: readonly [number, number]
}

export function bootstrapIntervals(
  predictions: Predictions,
  samples: number,
  seed: number,
  onStep: OnStep = () => undefined,
): BootstrapIntervals {
  const random = randomFrom(seed)
  const order = orderOf(predictions.risks)
  const patients = predictions.clusters.reduce((most, cluster) => Math.max(most, cluster + 1), 0)
  const drawn = { c: [] as number[], brier: [] as number[], large: [] as number[], slope: [] as number[] }
  for (let sample = 0; sample < samples; sample++) {
    const weights = resample(patients, random)
    try {
      const slope = fitCalibration(predictions, 'slope', weights).coefficients[1] as number
      const large = fitCalibration(predictions, 'intercept', weights).coefficients[0] as number
      drawn.slope.push(slope)
      drawn.large.push(large)
      drawn.c.push(weightedC(predictions, order, weights))
      drawn.brier.push(weightedBrier(predictions, weights))
    } catch (error) {
      // A sample without an event has no figures.
      if (!(error instanceof NotEstimable)) throw error
    }
    onStep(sample + 1, samples)
  }
  return {
    samples,
    seed,
    cStatistic: middle95(drawn.c),
    brier: middle95(drawn.brier),
    inTheLarge: middle95(drawn.large),
    slope: middle95(drawn.slope),
  }
}

function middle95(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return [at(0.025), at(0.975)]
}
