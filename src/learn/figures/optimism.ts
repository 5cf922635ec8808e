/**
 * How much better a way of making a model looks on its own data than on new patients, by Harrell's bootstrap:
 * the whole way is gone again in each sample of patients, and its model is held against that sample and
 * against the data as they are. The mean difference is the optimism.
 */
import { NotEstimable } from '../fit/not-estimable.ts'
import { randomFrom, resample } from '../numbers/random.ts'
import { orderOf } from '../numbers/radix-order.ts'
import { MEASURES, type Measures, measure } from './measures.ts'
import { type Predictions, clusterCount } from './predictions.ts'

export type OnStep = (done: number, of: number) => void

export interface Optimism {
  /** What was done anew in each sample: the fit, the fit of the specification, or the recalibration. */
  readonly of: 'fit' | 'refit' | 'recalibration'
  /** Whether a refit gives the very model that is validated: then these are the data that it was made from. */
  readonly ownData?: boolean
  readonly samples: number
  readonly seed: number
  /** Samples in which the estimates did not settle; they are left out. */
  readonly failed: number
  readonly cStatistic: Corrected
  readonly brier: Corrected
  readonly scaledBrier: Corrected
  readonly slope: Corrected
}

export interface Corrected {
  readonly apparent: number
  readonly optimism: number
  readonly corrected: number
}

/** A model made from the data with each patient counted so many times, and its risks for all rows. */
export type Procedure = (weights: Uint16Array | undefined) => {
  readonly predictions: Predictions
  /** The slope on the very sample, where it is known without a fit. */
  readonly ownSlope?: number
}

export function optimismOf(
  procedure: Procedure,
  options: { readonly of: Optimism['of']; readonly samples: number; readonly seed: number },
  onStep: OnStep = () => undefined,
): Optimism {
  const random = randomFrom(options.seed)
  const own = procedure(undefined)
  const patients = clusterCount(own.predictions.clusters)
  const once = new Uint16Array(patients).fill(1)
  const apparent = measure(own.predictions, orderOf(own.predictions.risks), once)
  const sums: Record<keyof Measures, number> = { cStatistic: 0, brier: 0, scaledBrier: 0, slope: 0 }
  let failed = 0
  for (let sample = 0; sample < options.samples; sample++) {
    const weights = resample(patients, random)
    try {
      const { predictions, ownSlope } = procedure(weights)
      const order = orderOf(predictions.risks)
      const there = measure(predictions, order, weights, ownSlope)
      const here = measure(predictions, order, once)
      for (const name of MEASURES) sums[name] += there[name] - here[name]
    } catch (error) {
      if (!(error instanceof NotEstimable)) throw error
      failed++
    }
    onStep(sample + 1, options.samples)
  }
  const done = Math.max(1, options.samples - failed)
  const corrected = (name: keyof Measures): Corrected => ({
    apparent: apparent[name],
    optimism: sums[name] / done,
    corrected: apparent[name] - sums[name] / done,
  })
  return {
    ...options,
    failed,
    cStatistic: corrected('cStatistic'),
    brier: corrected('brier'),
    scaledBrier: corrected('scaledBrier'),
    slope: corrected('slope'),
  }
}
