/** Resampling of patients: intervals of a model's figures, and the optimism of a fit about itself. */
import type { Design } from '../fit/design.ts'
import { type LogisticFit, NotEstimable, fitLogistic } from '../fit/logistic.ts'
import { randomFrom, resample } from '../numbers/random.ts'
import { orderOf } from '../numbers/radix-order.ts'
import { fitCalibration, weightedBrier } from './calibration.ts'
import { weightedC } from './discrimination.ts'
import type { Predictions } from './predictions.ts'

export type OnStep = (done: number, of: number) => void

export interface Optimism {
  readonly samples: number
  readonly seed: number
  /** Samples in which the estimates did not settle; they are left out. */
  readonly failed: number
  readonly cStatistic: Corrected
  readonly brier: Corrected
  readonly slope: Corrected
}

export interface Corrected {
  readonly apparent: number
  readonly optimism: number
  readonly corrected: number
}

/** Fits anew in each sample of patients, and compares how the fit does there and in the data as they are. */
export function optimismOf(
  design: Design,
  fit: LogisticFit,
  options: { readonly samples: number; readonly seed: number; readonly penalty: number },
  onStep: OnStep = () => undefined,
): Optimism {
  const random = randomFrom(options.seed)
  const all = new Uint8Array(design.clusters).fill(1)
  const once = (
    predictions: Predictions,
    order: Uint32Array,
    weights: ArrayLike<number>,
  ): { c: number; brier: number } => ({
    c: weightedC(predictions, order, weights),
    brier: weightedBrier(predictions, weights),
  })
  const slopeOf = (predictions: Predictions, weights?: ArrayLike<number>): number =>
    fitCalibration(predictions, 'slope', weights).coefficients[1] as number
  const own = predict(design, fit.standard)
  const apparent = { ...once(own, orderOf(own.risks), all), slope: slopeOf(own) }
  const sums = { c: 0, brier: 0, slope: 0 }
  let failed = 0
  for (let sample = 0; sample < options.samples; sample++) {
    const weights = resample(design.clusters, random)
    try {
      const { standard } = fitLogistic(design, { weights, penalty: options.penalty, start: fit.standard })
      const predictions = predict(design, standard)
      const order = orderOf(predictions.risks)
      const there = once(predictions, order, weights)
      const here = once(predictions, order, all)
      sums.c += there.c - here.c
      sums.brier += there.brier - here.brier
      // Without a penalty a fit's slope on its own sample is 1 by construction.
      sums.slope += (options.penalty === 0 ? 1 : slopeOf(predictions, weights)) - slopeOf(predictions)
    } catch (error) {
      if (!(error instanceof NotEstimable)) throw error
      failed++
    }
    onStep(sample + 1, options.samples)
  }
  const done = Math.max(1, options.samples - failed)
  const corrected = (value: number, sum: number): Corrected => ({
    apparent: value,
    optimism: sum / done,
    corrected: value - sum / done,
  })
  return {
    samples: options.samples,
    seed: options.seed,
    failed,
    cStatistic: corrected(apparent.c, sums.c),
    brier: corrected(apparent.brier, sums.brier),
    slope: corrected(apparent.slope, sums.slope),
  }
}

/** The risks of a design's rows for standardised coefficients. */
export function predict(design: Design, standard: Float64Array): Predictions {
  design.standardise()
  const width = design.columns.length
  const risks = new Float64Array(design.rows)
  const outcomes = new Uint8Array(design.rows)
  const clusters = new Int32Array(design.rows)
  let place = 0
  for (const block of design.blocks) {
    for (let row = 0; row < block.rows; row++) {
      let eta = standard[0] as number
      for (let k = 0; k < width; k++) {
        eta += (standard[k + 1] as number) * (block.values[row * width + k] as number)
      }
      risks[place] = 1 / (1 + Math.exp(-eta))
      outcomes[place] = block.outcomes[row] as number
      clusters[place++] = block.clusters[row] as number
    }
  }
  return { risks, outcomes, clusters }
}
