/**
 * Tests whether a model fits worse than a larger one that contains it, and says how large a change such a test would find. Only the
 * smaller model is estimated, so that separation in the larger one does not matter.
 */
import { chiSquareLimit, chiSquareTail, noncentralFor, noncentralTail } from '../numbers/chi-square.ts'
import { applied, factorise, quadraticForm, sandwich, solve } from '../numbers/cholesky.ts'
import {
  type Times,
  clusterCount,
  eventsOf,
  expit,
  sumOver,
  varianceByPatient,
} from '../numbers/predictions.ts'
import type { Design } from './design.ts'
import { patientSquares, scoreSquares } from './logistic.ts'
import { newtonStepAt } from './newton-step.ts'

export type ScoreTest = Readonly<Record<'statistic' | 'degrees' | 'pValue', number>>
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
  const spread = sandwich(rest, spreadAt(design, standard, information, times), size)
  const { value, rank } = quadraticForm(spread, applied(rest, gradient))
  return { statistic: value, degrees: rank, pValue: rank === 0 ? 1 : chiSquareTail(value, rank) }
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
  information: Float64Array,
  times?: Times,
): Float64Array {
  const { labels } = design
  const { outcomes, clusters, weights } = labels
  if (weights !== undefined) return scoreSquares(design, standard, times)
  const size = standard.length
  const whole = information.map((_cell, place) => {
    const [row, column] = [Math.floor(place / size), place % size]
    return information[Math.max(row, column) * size + Math.min(row, column)] as number
  })
  const counts = new Uint32Array(clusterCount(clusters))
  for (const cluster of clusters) counts[cluster] = (counts[cluster] as number) + 1
  const most = counts.reduce((a, b) => Math.max(a, b), 1)
  if (most === 1) return whole
  const { risks } = design.predict(standard)
  const together = patientSquares(design, (row) => Math.sqrt(varianceAt(risks[row] as number)), times)
  const residual = (row: number): number => (outcomes[row] as number) - (risks[row] as number)
  const alone = sumOver(labels, (row) => residual(row) ** 2, times)
  const drawn = (row: number): number => Math.sqrt(times?.[clusters[row] as number] ?? 1)
  const pairs = varianceByPatient(labels, (row) => drawn(row) * residual(row)) - alone
  const [both = 0] = together
  const [single = 0] = information
  // A sample without pairs has none.
  const found = (pairs / (both - single)) * (single / alone) || 0
  const correlation = Math.min(1, Math.max(LOWEST_CORRELATION / (most - 1), found))
  return whole.map((cell, place) => (1 - correlation) * cell + correlation * (together[place] as number))
}

function varianceAt(risk: number): number {
  return risk * (1 - risk)
}

/** The probability that a test on these data finds a change, and how many events would find it in four of five samples. */
export interface Power {
  readonly change: 'slope' | 'odds'
  /** The true slope of the log odds where the mean risk is right, or what the true odds are a multiple of the model's by. */
  readonly by: number
  readonly power: number
  /** Absent where no sample of such patients would show it. */
  readonly events?: number
}

const CHANGES = [
  { change: 'slope', by: 0.6 },
  { change: 'slope', by: 0.8 },
  { change: 'odds', by: 1.3 },
] as const
const WANTED_POWER = 0.8

/**
 * The power of the test of a model's own risks (column 1 has their log odds) against one that adds these columns: by the noncentral
 * chi-square, whose shift is the statistic of the expected score. The shift grows with the events, the spread of a row stays.
 */
export function powerOf(design: Design, tested: List, level: number): readonly Power[] {
  const { labels, values } = design
  const width = design.columns.length
  const standard = design.toStandard([0, 1, ...new Array<number>(width - 1).fill(0)])
  const { risks } = design.predict(standard)
  const keep = new Float64Array(standard.length ** 2)
  for (const column of tested) keep[column * (standard.length + 1)] = 1
  const { information } = newtonStepAt(design, standard)
  const spread = sandwich(keep, spreadAt(design, standard, information), standard.length)
  const inColumn = (row: number, k: number): number => (k === 0 ? 1 : (values[row * width + k - 1] as number))
  return CHANGES.map(({ change, by }) => {
    const truth =
      change === 'slope'
        ? stretched(design, risks, by)
        : risks.map((risk) => (by * risk) / (1 - risk + by * risk))
    const difference = (row: number): number => (truth[row] as number) - (risks[row] as number)
    const score = standard.map((_value, k) =>
      tested.includes(k) ? sumOver(labels, (row) => difference(row) * inColumn(row, k)) : 0,
    )
    const { value: shift, rank } = quadraticForm(spread, score)
    const limit = chiSquareLimit(level, rank)
    const events = Math.ceil((eventsOf(labels) * noncentralFor(WANTED_POWER, limit, rank)) / shift)
    return { change, by, power: noncentralTail(limit, rank, shift), ...(shift > LEAST_SHIFT && { events }) }
  })
}

/** Below this a shift is the rounding error of risks that are all alike. */
const LEAST_SHIFT = 1e-6

/** The risks with their log odds multiplied by a slope, and the same mean: Newton's method finds the intercept. */
function stretched({ labels }: Design, risks: Float64Array, slope: number): Float64Array {
  const odds = risks.map((risk) => Math.log(risk / (1 - risk)))
  const total = sumOver(labels, (row) => risks[row] as number)
  const mean = total / sumOver(labels, () => 1)
  let intercept = (1 - slope) * Math.log(mean / (1 - mean))
  const riskAt = (row: number): number => expit(intercept + slope * (odds[row] as number))
  for (let step = 0; step < 6; step++)
    intercept += (total - sumOver(labels, riskAt)) / sumOver(labels, (row) => varianceAt(riskAt(row)))
  return risks.map((_risk, row) => riskAt(row))
}
