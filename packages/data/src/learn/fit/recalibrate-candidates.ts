/**
 * The ways to recalibrate a model to local outcomes, and the choice among them. Each candidate contains the one before it,
 * because all start from the model's own log odds: as they are (none), shifted (intercept), also stretched (slope), and, where the
 * log odds are a sum of the terms, with a weight for each term (refit). A table of scores or a survival curve is not such a sum,
 * and trees are not estimated here: there `terms` says whether a refit in another form may be worthwhile.
 */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import {
  fitCalibration,
  type Predictions,
  type Times,
  logOdds,
  Design,
  type LogisticFit,
  fitByPatient,
} from '@patient-risk/statistics'
import { type Power, type ScoreTest, powerOf, scoreTest } from './score-test.ts'

export type Method = Smaller | 'refit'
type Smaller = 'none' | 'intercept' | 'slope'

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
  /** Of the first comparison, with which the closed test finds any change. */
  readonly power: () => readonly Power[]
  /** How many numbers the largest candidate estimates. */
  readonly estimates: number
  /** The places of the terms whose points differ between rows: only they can get a weight. */
  readonly moving: readonly number[]
}

type List = readonly number[]
const TEST_LEVEL = 0.05
/** Columns of the design of the tests. The points of the moving terms follow. */
const ONE = 0
const ODDS = 1

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
  const full = isSum ? columns.map((_column, k) => k + 2) : [ODDS]
  return {
    moving,
    fitOf,
    test: (times) => closedTest(tested, full, fitOf, times),
    power: () => powerOf(tested, [0, 1, ...columns.map(() => 0)], [ONE, ...full], TEST_LEVEL),
    estimates: full.length + 1,
  }
}

/**
 * The closed test of Vergouwe and others (Statistics in Medicine 2017, 36:4529): the largest candidate is compared with the
 * smaller ones in turn, and the first that does not fit significantly worse is taken. The error of the whole procedure
 * stays at the level of one test.
 */
function closedTest(design: Design, full: List, fitOf: Candidates['fitOf'], times?: Times): ClosedTest {
  const weights = Array.from({ length: design.columns.length - 1 }, (_each, k) => k + 2)
  const isSum = !full.includes(ODDS)
  const estimated = { none: [], intercept: [ONE], slope: [ONE, ODDS] }
  const compare = (against: Smaller, tested: List): ScoreTest => {
    const [intercept = 0, slope = 1] = against === 'none' ? [] : fitOf(against, times).coefficients
    return scoreTest(design, [intercept, slope, ...weights.map(() => 0)], estimated[against], tested, times)
  }
  const largest = isSum ? 'refit' : 'slope'
  const comparisons: (ScoreTest & { against: Smaller })[] = []
  const chosen = (['none', 'intercept', 'slope'] as const).find((against) => {
    if (against === largest) return true
    const found = compare(against, against === 'none' ? [ONE, ...full] : full)
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
