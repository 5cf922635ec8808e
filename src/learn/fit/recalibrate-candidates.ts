/**
 * The ways to recalibrate a model to local outcomes, and the choice among them. Each candidate contains the one before it,
 * because all start from the model's own log odds: as they are (none), shifted (intercept), also stretched (slope), and, where the
 * log odds are a sum of the terms, with a weight for each term (refit). A table of scores or a survival curve is not such a sum,
 * and trees are not estimated here: there `terms` says whether a refit in another form may be worthwhile.
 */
import type { ModelDefinition } from '../../definition/model.ts'
import { fitCalibration } from './fit-calibration.ts'
import { type Predictions, type Times, logOdds } from '../numbers/predictions.ts'
import { Design } from './design.ts'
import { type LogisticFit, fitByPatient, scoreSquares } from './logistic.ts'
import { newtonStepAt } from './newton-step.ts'
import { chiSquareTail } from '../numbers/chi-square.ts'
import { applied, factorise, quadraticForm, sandwich, solve } from '../numbers/cholesky.ts'

export type Method = Smaller | 'refit'
type Smaller = 'none' | 'intercept' | 'slope'

type ScoreTest = Readonly<Record<'statistic' | 'degrees' | 'pValue', number>>

export interface ClosedTest {
  readonly level: number
  /** The largest candidate, with which the others are compared. */
  readonly full: 'slope' | 'refit'
  /** From the smallest change on, up to the first that is enough. */
  readonly comparisons: readonly (ScoreTest & { readonly against: Smaller })[]
  readonly chosen: Method
  /** Whether the terms count differently here, where the closed test cannot choose a refit. */
  readonly terms?: ScoreTest
}

export interface Candidates {
  readonly fitOf: (method: Exclude<Method, 'none'>, times?: Times) => LogisticFit
  readonly test: (times?: Times) => ClosedTest
  /** The places of the terms whose points differ between rows: only they can get a weight. */
  readonly moving: readonly number[]
}

type List = readonly number[]
const TEST_LEVEL = 0.05

export function hasTrees({ terms }: Pick<ModelDefinition, 'terms'>): boolean {
  return terms.some(({ kind }) => kind === 'trees')
}

export function candidatesFor(
  model: Pick<ModelDefinition, 'link' | 'terms'>,
  predictions: Predictions,
  points: Float64Array,
  terms: number,
): Candidates {
  const pointsOf = (term: number) => (row: number) => points[row * terms + term] as number
  const moving = Array.from({ length: terms }, (_each, term) => term).filter((term) =>
    predictions.risks.some((_risk, row) => pointsOf(term)(row) !== points[term]),
  )
  const columns = moving.map(pointsOf)
  const design = Design.over(predictions, columns)
  const odds = (row: number): number => logOdds(predictions.risks[row] as number)
  const tested = Design.over(predictions, [odds, ...columns])
  const fitOf: Candidates['fitOf'] = (method, times) =>
    method === 'refit' ? fitByPatient(design, { times }) : fitCalibration(predictions, method, times)
  const { link } = model
  const isSum = (link.kind === 'recalibrated' ? link.of : link).kind === 'logistic' && !hasTrees(model)
  return { moving, fitOf, test: (times) => closedTest(tested, isSum, fitOf, times) }
}

/**
 * The closed test of Vergouwe and others (Statistics in Medicine 2017, 36:4529): the largest candidate is compared with the
 * smaller ones in turn, and the first that does not fit significantly worse is taken. The error of the whole procedure
 * stays at the level of one test.
 */
function closedTest(design: Design, isSum: boolean, fitOf: Candidates['fitOf'], times?: Times): ClosedTest {
  // The intercept is column 0, the model's own log odds are column 1, and the points of the moving terms follow.
  const [one, odds] = [0, 1]
  const weights = Array.from({ length: design.columns.length - 1 }, (_each, k) => k + 2)
  const full = isSum ? weights : [odds]
  const estimated = { none: [], intercept: [one], slope: [one, odds] }
  const compare = (against: Smaller, tested: List): ScoreTest => {
    const [intercept = 0, slope = 1] = against === 'none' ? [] : fitOf(against, times).coefficients
    return scoreTest(design, [intercept, slope, ...weights.map(() => 0)], estimated[against], tested, times)
  }
  const largest = isSum ? 'refit' : 'slope'
  const comparisons: (ScoreTest & { against: Smaller })[] = []
  const chosen = (['none', 'intercept', 'slope'] as const).find((against) => {
    if (against === largest) return true
    const found = compare(against, against === 'none' ? [one, ...full] : full)
    comparisons.push({ against, ...found })
    return found.pValue >= TEST_LEVEL
  })
  return {
    level: TEST_LEVEL,
    full: largest,
    comparisons,
    chosen: chosen ?? largest,
    ...(isSum || times !== undefined ? {} : { terms: compare('slope', weights) }),
  }
}

/**
 * Tests whether a model fits worse than a larger one that contains it, by the robust score test (Boos, American
 * Statistician 1992). Only the smaller model is estimated. Scores are added up by patient, so that the test holds its
 * level where patients have several rows, and separation in the larger model does not matter. `smaller` are the
 * coefficients of the smaller model for all columns, `estimated` the columns that it has estimated, and `tested` those
 * that the larger model adds.
 */
function scoreTest(design: Design, smaller: List, estimated: List, tested: List, times?: Times): ScoreTest {
  const standard = design.toStandard(smaller)
  const size = standard.length
  const { information, gradient } = newtonStepAt(design, standard, times)
  const cells = (rows: List): Float64Array =>
    Float64Array.from(rows.flatMap((row) => estimated.map((k) => information[row * size + k] as number)))
  const factor = factorise(cells(estimated), estimated.length)
  // Of each tested column what the estimated ones do not account for, in the metric of the information.
  const rest = new Float64Array(size * size)
  for (const column of tested) {
    rest[column * size + column] = 1
    const explained = solve(factor, cells([column]))
    estimated.forEach((k, j) => (rest[column * size + k] = -(explained[j] as number)))
  }
  const spread = sandwich(rest, scoreSquares(design, standard, times), size)
  const { value, rank } = quadraticForm(spread, applied(rest, gradient))
  return { statistic: value, degrees: rank, pValue: rank === 0 ? 1 : chiSquareTail(value, rank) }
}
