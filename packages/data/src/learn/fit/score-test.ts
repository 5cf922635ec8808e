/**
 * Tests whether a model fits worse than a larger one that contains it, and says how large a change such a test would find. Only the
 * smaller model is estimated, so that separation in the larger one does not matter.
 */
import {
  chiSquareLimit,
  chiSquareTail,
  noncentralFor,
  noncentralTail,
  applied,
  factorise,
  quadraticForm,
  sandwich,
  solve,
  type Times,
  clusterCount,
  eventsOf,
  expit,
  logOdds,
  sumOver,
  varianceByPatient,
  type Design,
  patientSquares,
  scoreSquares,
  newtonStepAt,
} from '@patient-risk/statistics'

export interface ScoreTest {
  readonly statistic: number
  readonly degrees: number
  readonly pValue: number
}

type List = readonly number[]

/**
 * The score test with the spread that the smaller model itself implies. The empirical spread (Boos, American Statistician 1992)
 * rejects a true model too often in small samples. `smaller` are the coefficients of the smaller model for all columns,
 * `estimated` the columns that it has estimated, and `tested` those that the larger model adds.
 */
export function scoreTest(
  design: Design,
  smaller: List,
  estimated: List,
  tested: List,
  times?: Times,
): ScoreTest {
  const { gradient, statisticOf } = comparison(design, smaller, estimated, tested, times)
  const { value, rank } = statisticOf(gradient)
  return { statistic: value, degrees: rank, pValue: rank === 0 ? 1 : chiSquareTail(value, rank) }
}

function comparison(design: Design, smaller: List, estimated: List, tested: List, times?: Times) {
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
  const { risks } = design.predict(standard)
  const spread = sandwich(rest, spreadAt(design, standard, risks, information, times), size)
  const statisticOf = (score: Float64Array) => quadraticForm(spread, applied(rest, score))
  return { gradient, risks, statisticOf }
}

/** The lower limit keeps the spread positive: with n rows a patient it would be 0 at −1 ÷ (n − 1). */
const LOWEST_CORRELATION = -0.9

/**
 * The spread of the score if the model is true: (1 − ρ)·I + ρ·S, with the information I, and S the sum over patients of s·sᵀ, where
 * s adds up √(p(1 − p))·x over a patient's rows. ρ is the correlation of the residuals of two rows of a patient, over all pairs.
 * With weights, which may follow from the outcome, the model does not say what the spread is: there it is the empirical one.
 */
function spreadAt(
  design: Design,
  standard: Float64Array,
  risks: Float64Array,
  information: Float64Array,
  times?: Times,
): Float64Array {
  const { labels } = design
  const { outcomes, clusters, weights } = labels
  if (weights !== undefined) return scoreSquares(design, standard, times)
  const sizes = new Uint32Array(clusterCount(clusters))
  for (const cluster of clusters) sizes[cluster] = (sizes[cluster] as number) + 1
  const most = sizes.reduce((a, b) => Math.max(a, b), 1)
  if (most === 1) return information
  const together = patientSquares(design, (row) => Math.sqrt(varianceAt(risks[row] as number)), times)
  const residual = (row: number): number => (outcomes[row] as number) - (risks[row] as number)
  const alone = sumOver(labels, (row) => residual(row) ** 2, times)
  const drawn = (row: number): number => Math.sqrt(times?.[clusters[row] as number] ?? 1)
  const pairs = varianceByPatient(labels, (row) => drawn(row) * residual(row)) - alone
  const both = together[0] as number
  const single = information[0] as number
  // A sample without pairs has none.
  const found = (pairs / (both - single)) * (single / alone) || 0
  const correlation = Math.min(1, Math.max(LOWEST_CORRELATION / (most - 1), found))
  return information.map((cell, place) => cell + correlation * ((together[place] as number) - cell))
}

function varianceAt(risk: number): number {
  return risk * (1 - risk)
}

/** The probability that a test on these data finds a change, and how many events would find it in four of five samples. */
export interface Power {
  readonly change: 'slope' | 'odds'
  /** The true slope of the log odds where the mean risk is right, or how many times the model's odds the true odds are. */
  readonly by: number
  readonly power: number
  /** Absent where no number of such patients would show it. */
  readonly events?: number
}

const CHANGES = [
  { change: 'slope', by: 0.6 },
  { change: 'slope', by: 0.8 },
  { change: 'odds', by: 1.3 },
] as const
const WANTED_POWER = 0.8
/** Below this a shift is the rounding error of risks that are all alike. */
const LEAST_SHIFT = 1e-6

/**
 * The power of the test of a model's own risks against one that adds these columns: by the noncentral chi-square, whose shift is the
 * statistic of the expected score. The shift grows with the events.
 */
export function powerOf(design: Design, own: List, tested: List, level: number): readonly Power[] {
  const { labels, values } = design
  const width = design.columns.length
  const { risks, statisticOf } = comparison(design, own, [], tested)
  const variance = (row: number): number => varianceAt(risks[row] as number)
  const odds = risks.map(logOdds)
  // Around this point a change of the slope leaves the mean risk as it is.
  const centre = sumOver(labels, (row) => variance(row) * (odds[row] as number)) / sumOver(labels, variance)
  return CHANGES.map(({ change, by }) => {
    const truth = odds.map((each) =>
      expit(change === 'odds' ? each + Math.log(by) : centre + by * (each - centre)),
    )
    const score = new Float64Array(width + 1).map((_sum, k) =>
      sumOver(labels, (row) => {
        const value = k === 0 ? 1 : (values[row * width + k - 1] as number)
        return ((truth[row] as number) - (risks[row] as number)) * value
      }),
    )
    const { value: shift, rank } = statisticOf(score)
    const limit = chiSquareLimit(level, rank)
    const events = Math.ceil((eventsOf(labels) * noncentralFor(WANTED_POWER, limit, rank)) / shift)
    return { change, by, power: noncentralTail(limit, rank, shift), ...(shift > LEAST_SHIFT && { events }) }
  })
}
