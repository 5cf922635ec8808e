/**
 * Tests whether a model fits worse than a larger one that contains it, by the robust score test (Boos, American
 * Statistician 1992). Only the smaller model is estimated. Scores are added up by patient, so that the test holds its
 * level where patients have several rows, and separation in the larger model does not matter.
 */
import type { Predictions, Times } from '../figures/predictions.ts'
import { clusterCount, weightOf } from '../figures/predictions.ts'
import { chiSquareTail } from '../numbers/chi-square.ts'
import { factorise, quadraticForm, solve } from '../numbers/cholesky.ts'

export interface ScoreTest {
  readonly statistic: number
  readonly degrees: number
  readonly pValue: number
}

/** Columns of the larger model for every row, row by row, each centred and scaled. The first is 1 throughout. */
export interface Columns {
  readonly width: number
  readonly values: Float64Array
}

/** `estimated` are the columns that the smaller model has estimated, `tested` those that the larger one adds. */
export function scoreTest(
  smaller: Predictions,
  { width, values }: Columns,
  estimated: readonly number[],
  tested: readonly number[],
  times?: Times,
): ScoreTest {
  const all = [...estimated, ...tested]
  const size = all.length
  const clusters = clusterCount(smaller.clusters)
  const scores = new Float64Array(clusters * size)
  const information = new Float64Array(size * size)
  const own = new Float64Array(size)
  for (let row = 0; row < smaller.risks.length; row++) {
    const cluster = smaller.clusters[row] as number
    const drawn = times === undefined ? 1 : (times[cluster] as number)
    if (drawn === 0) continue
    const weight = weightOf(smaller, row)
    const risk = smaller.risks[row] as number
    const residual = weight * ((smaller.outcomes[row] as number) - risk)
    const spread = drawn * weight * risk * (1 - risk)
    for (let k = 0; k < size; k++) own[k] = values[row * width + (all[k] as number)] as number
    for (let k = 0; k < size; k++) {
      add(scores, cluster * size + k, residual * (own[k] as number))
      for (let j = 0; j < estimated.length; j++) {
        add(information, k * size + j, spread * (own[k] as number) * (own[j] as number))
      }
    }
  }
  return fromScores(scores, information, size, estimated.length, times)
}

/** Each patient's score for the tested columns, less what the estimated ones account for; and their quadratic form. */
function fromScores(
  scores: Float64Array,
  information: Float64Array,
  size: number,
  known: number,
  times: Times | undefined,
): ScoreTest {
  const free = size - known
  const projection = projectionOf(information, size, known)
  const sum = new Float64Array(free)
  const spread = new Float64Array(free * free)
  const own = new Float64Array(free)
  for (let cluster = 0; cluster * size < scores.length; cluster++) {
    const drawn = times === undefined ? 1 : (times[cluster] as number)
    if (drawn === 0) continue
    for (let k = 0; k < free; k++) {
      let score = scores[cluster * size + known + k] as number
      for (let j = 0; j < known; j++)
        score -= (projection[k * known + j] as number) * (scores[cluster * size + j] as number)
      own[k] = score
      add(sum, k, drawn * score)
    }
    for (let k = 0; k < free; k++) {
      for (let j = 0; j < free; j++)
        add(spread, k * free + j, drawn * (own[k] as number) * (own[j] as number))
    }
  }
  const { value, rank } = quadraticForm(spread, sum)
  return { statistic: value, degrees: rank, pValue: rank === 0 ? 1 : chiSquareTail(value, rank) }
}

/** The regression of each tested column on the estimated ones, in the metric of the information. */
function projectionOf(information: Float64Array, size: number, known: number): Float64Array {
  const free = size - known
  const projection = new Float64Array(free * known)
  if (known === 0) return projection
  const inner = new Float64Array(known * known)
  for (let k = 0; k < known; k++)
    for (let j = 0; j < known; j++) inner[k * known + j] = information[k * size + j] as number
  const { factor } = factorise(inner, known)
  if (factor === undefined) throw new Error('the columns of an estimated model are independent')
  for (let k = 0; k < free; k++) {
    const start = (known + k) * size
    projection.set(solve(factor, information.slice(start, start + known)), k * known)
  }
  return projection
}

function add(sums: Float64Array, place: number, value: number): void {
  sums[place] = (sums[place] as number) + value
}
