/**
 * How much better a procedure of fitting looks on its own data than on new patients, by Harrell's bootstrap: the whole
 * procedure is repeated in each sample of patients, and its model is evaluated on that sample and on the original data.
 * The mean difference is the optimism.
 */
import { NotEstimable } from '../fit/not-estimable.ts'
import { randomFrom, resample } from '../numbers/random.ts'
import { orderOf } from '../numbers/radix-order.ts'
import { MEASURES, type Measures, measure } from './measures.ts'
import { type Predictions, clusterCount } from './predictions.ts'

export type OnStep = (done: number, of: number) => void

export interface Optimism {
  /** What was repeated in each sample: the fit, the fit of the specification, or the recalibration. */
  readonly of: 'fit' | 'refit' | 'recalibration'
  /** Whether a refit gives the validated model itself: then these are the data that it was made from. */
  readonly ownData?: boolean
  readonly samples: number
  readonly seed: number
  /** Samples in which the estimates did not converge; they are left out. */
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

/** A model made from a sample of patients, and its risks for all rows. */
export type Procedure = (times: Uint16Array | undefined) => {
  readonly predictions: Predictions
  /** The slope on the very sample, where it is known without a fit. */
  readonly ownSlope?: number
}

/** Undefined where nothing can be evaluated: the outcome is separated perfectly in the data, or in every sample. */
export function optimismOf(
  procedure: Procedure,
  options: { readonly of: Optimism['of']; readonly samples: number; readonly seed: number },
  onStep: OnStep = () => undefined,
): Optimism | undefined {
  const random = randomFrom(options.seed)
  const own = procedure(undefined)
  const patients = clusterCount(own.predictions.clusters)
  const once = new Uint16Array(patients).fill(1)
  const apparent = orUndefined(() => measure(own.predictions, orderOf(own.predictions.risks), once))
  if (apparent === undefined) return undefined
  const sums: Record<keyof Measures, number> = { cStatistic: 0, brier: 0, scaledBrier: 0, slope: 0 }
  let failed = 0
  for (let sample = 0; sample < options.samples; sample++) {
    const times = resample(patients, random)
    const gains = orUndefined(() => {
      const { predictions, ownSlope } = procedure(times)
      const order = orderOf(predictions.risks)
      const there = measure(predictions, order, times, ownSlope)
      const here = measure(predictions, order, once)
      return MEASURES.map((name) => there[name] - here[name])
    })
    if (gains === undefined) failed++
    else MEASURES.forEach((name, k) => (sums[name] += gains[k] as number))
    onStep(sample + 1, options.samples)
  }
  const done = options.samples - failed
  if (done === 0) return undefined
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

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof NotEstimable) return undefined
    throw error
  }
}
