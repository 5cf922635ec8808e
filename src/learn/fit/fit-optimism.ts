/** The optimism of a fit about itself: it is fitted anew in samples of patients. */
import { type OnStep, type Optimism, optimismOf } from '../figures/optimism.ts'
import { DEFAULT_SEED, type Estimates } from './estimate.ts'
import { fitLogistic } from './logistic.ts'
import { predict } from './predict.ts'

/** Beyond so many numbers in the columns a fit has nothing to be corrected for, and resampling takes minutes. */
const MOST_TO_RESAMPLE = 2_000_000
export const SAMPLES = 200

/** How many samples to draw for so many numbers, where nobody says. */
export function usualSamples(rows: number, columns: number): number {
  return rows * columns > MOST_TO_RESAMPLE ? 0 : SAMPLES
}

/** Undefined where no samples are wanted. The penalty and the knots stay those of the whole data. */
export function fitOptimism(
  { design, fit, ridge }: Estimates,
  of: 'fit' | 'refit',
  options: { readonly samples?: number | undefined; readonly seed?: number | undefined },
  onStep?: OnStep,
): Optimism | undefined {
  const samples = options.samples ?? usualSamples(design.rows, design.columns.length)
  if (samples === 0) return undefined
  const penalty = ridge?.penalty ?? 0
  return optimismOf(
    (weights) => {
      if (weights === undefined) return { predictions: predict(design, fit.standard) }
      const { standard } = fitLogistic(design, { weights, penalty, start: fit.standard })
      // Without a penalty a fit's slope on its own sample is 1 by construction.
      return { predictions: predict(design, standard), ...(penalty === 0 ? { ownSlope: 1 } : {}) }
    },
    { of, samples, seed: options.seed ?? DEFAULT_SEED },
    onStep,
  )
}
