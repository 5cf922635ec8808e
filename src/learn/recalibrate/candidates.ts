/**
 * The ways to bring a model into line with local outcomes, and the choice among them. Each candidate contains the one
 * before it by construction, because all of them start from the model's own log odds: as they are (none), shifted
 * (intercept), shifted and stretched (slope), and, where the log odds are a sum of the terms, with a weight of its own
 * for each term (refit). A table of scores or a survival curve is no such sum: there the slope is the largest candidate,
 * and `terms` says whether a refit in another form would be worth asking for.
 */
import type { ModelDefinition } from '../../definition/model.ts'
import { fitCalibration } from '../figures/calibration.ts'
import { type Predictions, type Times, logOdds } from '../figures/predictions.ts'
import { Design } from '../fit/design.ts'
import { type LogisticFit, fitByPatient } from '../fit/logistic.ts'
import { type ScoreTest, scoreTest } from './score-test.ts'

export type Method = 'none' | 'intercept' | 'slope' | 'refit'

export interface Comparison extends ScoreTest {
  readonly against: Exclude<Method, 'refit'>
}

export interface ClosedTest {
  readonly level: number
  /** The largest candidate, with which the others are compared. */
  readonly full: 'slope' | 'refit'
  /** From the smallest change on, up to the first that is enough. */
  readonly comparisons: readonly Comparison[]
  readonly chosen: Method
  /** Whether the terms count differently here, where the closed test cannot choose a refit. */
  readonly terms?: ScoreTest
}

export interface Candidates {
  readonly fitOf: (method: 'intercept' | 'slope' | 'refit', times?: Times) => LogisticFit
  readonly test: (times?: Times) => ClosedTest
  /** The places of the terms whose points differ between rows: only they can get a weight. */
  readonly moving: readonly number[]
}

const TEST_LEVEL = 0.05

/** Whether the log odds of a model are a sum of its terms. */
function isSumOfTerms({ link }: Pick<ModelDefinition, 'link'>): boolean {
  return link.kind === 'logistic' || (link.kind === 'recalibrated' && link.of.kind === 'logistic')
}

export function candidatesFor(
  model: Pick<ModelDefinition, 'link'>,
  predictions: Predictions,
  points: Float64Array,
  terms: number,
): Candidates {
  const pointsOf = (term: number) => (row: number) => points[row * terms + term] as number
  const moving = Array.from({ length: terms }, (_each, term) => term).filter((term) =>
    predictions.risks.some((_risk, row) => pointsOf(term)(row) !== points[term]),
  )
  const columns = Object.fromEntries(moving.map((term) => [`term ${term}`, pointsOf(term)]))
  const design = Design.over(predictions, columns)
  const odds = (row: number): number => logOdds(predictions.risks[row] as number)
  const tested = Design.over(predictions, { odds, ...columns })
  const fitOf: Candidates['fitOf'] = (method, times) =>
    method === 'refit' ? fitByPatient(design, { times }) : fitCalibration(predictions, method, times)
  const isSum = isSumOfTerms(model)
  return { moving, fitOf, test: (times) => closedTest(tested, isSum, fitOf, times) }
}

/**
 * The closed test of Vergouwe and others (Statistics in Medicine 2017, 36:4529): the largest candidate is compared with the
 * smaller ones in turn, and the first that does not fit significantly worse is taken. The error of the whole procedure
 * stays at the level of one test.
 */
function closedTest(
  design: Design,
  isSum: boolean,
  fitOf: Candidates['fitOf'],
  times: Times | undefined,
): ClosedTest {
  const [one, odds] = [0, 1]
  // The intercept is column 0, the model's own log odds are column 1, and the points of the moving terms follow.
  const weights = Array.from({ length: design.columns.length - 1 }, (_each, k) => k + 2)
  const full = isSum ? weights : [odds]
  const estimated = { none: [], intercept: [one], slope: [one, odds] }
  const compare = (against: Exclude<Method, 'refit'>, tested: readonly number[]): ScoreTest => {
    const found = against === 'none' ? [] : fitOf(against, times).coefficients
    const [intercept = 0, slope = 1] = found
    const smaller = [intercept, slope, ...weights.map(() => 0)]
    return scoreTest(design, smaller, estimated[against], tested, times)
  }
  const comparisons: Comparison[] = []
  let chosen: Method | undefined
  for (const against of ['none', 'intercept', ...(isSum ? (['slope'] as const) : [])] as const) {
    const found = compare(against, against === 'none' ? [one, ...full] : full)
    comparisons.push({ against, ...found })
    if (found.pValue < TEST_LEVEL) continue
    chosen = against
    break
  }
  const largest = isSum ? 'refit' : 'slope'
  return {
    level: TEST_LEVEL,
    full: largest,
    comparisons,
    chosen: chosen ?? largest,
    ...(isSum || times !== undefined ? {} : { terms: compare('slope', weights) }),
  }
}
