/**
 * Tests whether a model fits worse than a larger one that contains it, by the robust score test (Boos, American
 * Statistician 1992). Only the smaller model is estimated. Scores are added up by patient, so that the test holds its
 * level where patients have several rows, and separation in the larger model does not matter.
 */
import type { Times } from '../figures/predictions.ts'
import type { Design } from '../fit/design.ts'
import { patientScores } from '../fit/logistic.ts'
import { passOver } from '../fit/pass.ts'
import { chiSquareTail } from '../numbers/chi-square.ts'
import { factorise, quadraticForm, solve } from '../numbers/cholesky.ts'

export interface ScoreTest {
  readonly statistic: number
  readonly degrees: number
  readonly pValue: number
}

/**
 * `smaller` are the coefficients of the smaller model for all columns of the design, `estimated` the columns that it has
 * estimated, and `tested` those that the larger model adds. Column 0 is the intercept.
 */
export function scoreTest(
  design: Design,
  smaller: readonly number[],
  estimated: readonly number[],
  tested: readonly number[],
  times?: Times,
): ScoreTest {
  const standard = design.toStandard(smaller)
  const size = standard.length
  const scores = patientScores(design, standard)
  const { information } = passOver(design, standard, times)
  const cells = (rows: readonly number[]): Float64Array =>
    Float64Array.from(
      rows.flatMap((row) => estimated.map((column) => information[row * size + column] as number)),
    )
  const { factor } = factorise(cells(estimated), estimated.length)
  if (factor === undefined) throw new Error('the columns of an estimated model are independent')
  // The regression of each tested column on the estimated ones, in the metric of the information.
  const projections = tested.map((column) => solve(factor, cells([column])))
  const free = tested.length
  const sum = new Float64Array(free)
  const spread = new Float64Array(free * free)
  for (let start = 0, cluster = 0; start < scores.length; start += size, cluster++) {
    const drawn = times === undefined ? 1 : (times[cluster] as number)
    if (drawn === 0) continue
    // The patient's score for each tested column, less what the estimated ones account for.
    const own = tested.map((column, k) =>
      estimated.reduce(
        (score, other, j) => score - (projections[k]?.[j] as number) * (scores[start + other] as number),
        scores[start + column] as number,
      ),
    )
    own.forEach((score, k) => {
      sum[k] = (sum[k] as number) + drawn * score
      own.forEach((other, j) => {
        spread[k * free + j] = (spread[k * free + j] as number) + drawn * score * other
      })
    })
  }
  const { value, rank } = quadraticForm(spread, sum)
  return { statistic: value, degrees: rank, pValue: rank === 0 ? 1 : chiSquareTail(value, rank) }
}
