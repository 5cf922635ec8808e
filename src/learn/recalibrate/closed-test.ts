/**
 * Chooses how far a model must be changed, by the closed test of Vergouwe and others (Statistics in Medicine 2017):
 * the full refit is compared with less and more changed models in turn, and the first one that
 * does not fit significantly worse is taken. The error of the whole procedure stays at the level of one test.
 */
import { chiSquareTail } from '../numbers/chi-square.ts'

export type Method = 'none' | 'intercept' | 'slope' | 'refit'

export interface Comparison {
  readonly against: Exclude<Method, 'refit'>
  /** Twice the gain in log likelihood of the refit. */
  readonly statistic: number
  readonly degrees: number
  readonly pValue: number
}

export interface ClosedTest {
  readonly level: number
  readonly logLikelihoods: Readonly<Record<Method, number>>
  readonly comparisons: readonly Comparison[]
  readonly chosen: Method
}

export const TEST_LEVEL = 0.05

/** `weights` is the number of term weights that a refit estimates beside the intercept. */
export function closedTest(logLikelihoods: Readonly<Record<Method, number>>, weights: number): ClosedTest {
  const steps = [
    { against: 'none', degrees: weights + 1 },
    { against: 'intercept', degrees: weights },
    { against: 'slope', degrees: weights - 1 },
  ] as const
  const comparisons = steps.map(({ against, degrees }): Comparison => {
    const statistic = Math.max(0, 2 * (logLikelihoods.refit - logLikelihoods[against]))
    // With one weight a refit is the slope itself, and there is nothing to compare.
    return { against, statistic, degrees, pValue: degrees === 0 ? 1 : chiSquareTail(statistic, degrees) }
  })
  const first = comparisons.find(({ pValue }) => pValue >= TEST_LEVEL)
  return { level: TEST_LEVEL, logLikelihoods, comparisons, chosen: first?.against ?? 'refit' }
}
