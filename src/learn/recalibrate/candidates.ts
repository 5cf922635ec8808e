/** The ways to bring a model into line with local outcomes, each estimated on the same rows. */
import { Design } from '../fit/design.ts'
import { type LogisticFit, fitLogistic } from '../fit/logistic.ts'
import { type Predictions, logOdds } from '../figures/predictions.ts'
import { fitCalibration } from '../figures/calibration.ts'
import { type ClosedTest, type Method, closedTest } from './closed-test.ts'

export interface Candidates {
  readonly intercept: LogisticFit
  readonly slope: LogisticFit
  /** A weight for every term whose points differ between rows; the places of those terms in the model. */
  readonly refit: LogisticFit
  readonly moving: readonly number[]
  readonly test: ClosedTest
}

/** Each call estimates them, with every patient counted so many times; without weights, once. */
export function candidatesFor(
  predictions: Predictions,
  points: Float64Array,
  terms: number,
): (weights?: ArrayLike<number>) => Candidates {
  const moving = Array.from({ length: terms }, (_each, term) => term).filter((term) =>
    differs(points, term, terms),
  )
  const design = new Design(moving.map((term) => `term ${term}`))
  const row = new Float64Array(moving.length)
  for (let place = 0; place < predictions.risks.length; place++) {
    moving.forEach((term, k) => (row[k] = points[place * terms + term] as number))
    design.add(row, predictions.outcomes[place] as 0 | 1, predictions.clusters[place] as number)
  }
  return (weights) => {
    const intercept = fitCalibration(predictions, 'intercept', weights)
    const slope = fitCalibration(predictions, 'slope', weights)
    const refit = fitLogistic(design, weights === undefined ? {} : { weights })
    const logLikelihoods: Record<Method, number> = {
      none: logLikelihoodOf(predictions, weights),
      intercept: intercept.logLikelihood,
      slope: slope.logLikelihood,
      refit: refit.logLikelihood,
    }
    return { intercept, slope, refit, moving, test: closedTest(logLikelihoods, moving.length) }
  }
}

function differs(points: Float64Array, term: number, terms: number): boolean {
  for (let place = term; place < points.length; place += terms)
    if (points[place] !== points[term]) return true
  return false
}

function logLikelihoodOf(
  { risks, outcomes, clusters }: Predictions,
  weights: ArrayLike<number> | undefined,
): number {
  let sum = 0
  for (let row = 0; row < risks.length; row++) {
    const times = weights === undefined ? 1 : (weights[clusters[row] as number] as number)
    const odds = logOdds(risks[row] as number)
    const own = (outcomes[row] === 1 ? odds : 0) - Math.max(0, odds) - Math.log1p(Math.exp(-Math.abs(odds)))
    sum += times * own
  }
  return sum
}

/** How often the points of each term count after the change. */
export function termWeights(method: Method, { refit, moving }: Candidates, terms: number): Float64Array {
  const weights = new Float64Array(terms).fill(1)
  if (method === 'refit') moving.forEach((term, k) => (weights[term] = refit.coefficients[k + 1] as number))
  return weights
}
