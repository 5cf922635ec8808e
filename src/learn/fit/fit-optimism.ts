/** The optimism of a fit: it is repeated in samples of patients. */
import { type OnStep, type Optimism, optimismOf } from '../figures/optimism.ts'
import { DEFAULT_SEED, type Estimates } from './estimate.ts'
import { fitLogistic } from './logistic.ts'
import { predict } from './predict.ts'

/** With more numbers than this in the columns the optimism is negligible, and resampling takes minutes. */
const MOST_TO_RESAMPLE = 2_000_000
export const SAMPLES = 200

/** How many samples to draw by default. */
export function usualSamples(rows: number, columns: number): number {
  return rows * columns > MOST_TO_RESAMPLE ? 0 : SAMPLES
}

/** Undefined where no samples are wanted or none can be evaluated. The penalty and the knots stay those of the whole data. */
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
    (times) => {
      if (times === undefined) return { predictions: predict(design, fit.standard) }
      const { standard } = fitLogistic(design, { times, penalty, start: fit.standard })
      // Without a penalty a fit's slope on its own sample is 1 by construction.
      return { predictions: predict(design, standard), ...(penalty === 0 ? { ownSlope: 1 } : {}) }
    },
    { of, samples, seed: options.seed ?? DEFAULT_SEED },
    onStep,
  )
}
