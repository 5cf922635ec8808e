/**
 * The ways to bring a model into line with local outcomes, and the choice among them. Each candidate contains the one
 * before it by construction, because all of them start from the model's own log odds: as they are (none), shifted
 * (intercept), shifted and stretched (slope), and, where the log odds are a sum of the terms, with a weight of its own
 * for each term (refit). A table of scores or a survival curve is no such sum: there the slope is the largest candidate,
 * and `terms` says whether a refit in another form would be worth asking for.
 */
import type { ModelDefinition } from '../../definition/model.ts'
import { Design } from '../fit/design.ts'
import { type LogisticFit, fitLogistic } from '../fit/logistic.ts'
import { withRobustErrors } from '../fit/robust.ts'
import { type Predictions, type Times, logOdds, needsRobustErrors, weightOf } from '../figures/predictions.ts'
import { fitCalibration } from '../figures/calibration.ts'
import { type Columns, type ScoreTest, scoreTest } from './score-test.ts'

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

export const TEST_LEVEL = 0.05

/** Whether the log odds of a model are a sum of its terms. */
export function isSumOfTerms({ link }: Pick<ModelDefinition, 'link'>): boolean {
  return link.kind === 'logistic' || (link.kind === 'recalibrated' && link.of.kind === 'logistic')
}

export function candidatesFor(
  model: Pick<ModelDefinition, 'link'>,
  predictions: Predictions,
  points: Float64Array,
  terms: number,
): Candidates {
  const { risks, outcomes, clusters } = predictions
  const moving = Array.from({ length: terms }, (_each, term) => term).filter((term) =>
    differs(points, term, terms),
  )
  const design = new Design(
    moving.map((term) => `term ${term}`),
    { weights: predictions.weights !== undefined },
  )
  const row = new Float64Array(moving.length)
  for (let place = 0; place < risks.length; place++) {
    moving.forEach((term, k) => (row[k] = points[place * terms + term] as number))
    design.add(row, outcomes[place] as 0 | 1, clusters[place] as number, 0, weightOf(predictions, place))
  }
  const fitOf = (method: 'intercept' | 'slope' | 'refit', times?: Times): LogisticFit => {
    if (method !== 'refit') return fitCalibration(predictions, method, times)
    const fit = fitLogistic(design, times === undefined ? {} : { times })
    return times === undefined && needsRobustErrors(predictions) ? withRobustErrors(design, fit) : fit
  }
  const columns = columnsOf(predictions, points, terms, moving)
  const isSum = isSumOfTerms(model)
  return { moving, fitOf, test: (times) => closedTest(predictions, columns, isSum, fitOf, times) }
}

/**
 * The closed test of Vergouwe and others (Statistics in Medicine 2017, 36:4529): the largest candidate is compared with the
 * smaller ones in turn, and the first that does not fit significantly worse is taken. The error of the whole procedure
 * stays at the level of one test.
 */
function closedTest(
  predictions: Predictions,
  columns: Columns,
  isSum: boolean,
  fitOf: Candidates['fitOf'],
  times: Times | undefined,
): ClosedTest {
  const [one, odds] = [0, 1]
  const weights = Array.from({ length: columns.width - 2 }, (_each, k) => k + 2)
  const full = isSum ? weights : [odds]
  const shifted = (against: Exclude<Method, 'refit'>): Predictions => {
    if (against === 'none') return predictions
    const [intercept = 0, slope = 1] = fitOf(against, times).coefficients
    const risks = predictions.risks.map((risk) => 1 / (1 + Math.exp(-(intercept + slope * logOdds(risk)))))
    return { ...predictions, risks }
  }
  const estimated = { none: [], intercept: [one], slope: [one, odds] }
  const compare = (against: Exclude<Method, 'refit'>, tested: readonly number[]): ScoreTest =>
    scoreTest(shifted(against), columns, estimated[against], tested, times)
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

/** A column of ones, the model's own log odds, and the points of each moving term, centred and scaled. */
function columnsOf(
  { risks }: Predictions,
  points: Float64Array,
  terms: number,
  moving: readonly number[],
): Columns {
  const width = moving.length + 2
  const values = new Float64Array(risks.length * width)
  const fill = (column: number, read: (row: number) => number): void => {
    let sum = 0
    let squares = 0
    for (let row = 0; row < risks.length; row++) {
      sum += read(row)
      squares += read(row) ** 2
    }
    const mean = sum / risks.length
    const scale = Math.sqrt(Math.max(0, squares / risks.length - mean * mean)) || 1
    for (let row = 0; row < risks.length; row++) values[row * width + column] = (read(row) - mean) / scale
  }
  for (let row = 0; row < risks.length; row++) values[row * width] = 1
  fill(1, (row) => logOdds(risks[row] as number))
  moving.forEach((term, k) => fill(k + 2, (row) => points[row * terms + term] as number))
  return { width, values }
}

function differs(points: Float64Array, term: number, terms: number): boolean {
  for (let place = term; place < points.length; place += terms)
    if (points[place] !== points[term]) return true
  return false
}
