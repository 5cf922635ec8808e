/**
 * Inverse probability of censoring weights: whoever was followed to the end stands for those who were lost before. They assume that who is
 * lost does not depend on anything in the model.
 */
import { CENSORED, type DayCounts, type FollowUp, type Timeline } from './follow-up.ts'

/** The share that is not censored, up to the horizon: before each day, and after it. */
export interface Remaining {
  readonly before: Float64Array
  readonly after: Float64Array
  readonly atHorizon: number
}

/**
 * Kaplan and Meier's estimate of not being censored. On a day with both, events leave before censorings: only then do the weights add up
 * to the number of rows.
 */
export function remainingBy({ censored, later }: DayCounts, { within }: Timeline): Remaining {
  const before = new Float64Array(within)
  const after = new Float64Array(within)
  let share = 1
  for (let place = 0; place < within; place++) {
    before[place] = share
    const lost = censored[place] as number
    if (lost > 0) share *= (later[place] as number) / ((later[place] as number) + lost)
    after[place] = share
  }
  return { before, after, atHorizon: share }
}

/** The weight of each row at the horizon, times its own: 0 where it was censored by then. */
export function weightsAtHorizon(
  { ends }: FollowUp,
  { placeOf, within }: Timeline,
  own: Float64Array,
  { before, atHorizon }: Remaining,
): Float64Array {
  return own.map((weight, row) => {
    const place = placeOf[row] as number
    if (place >= within) return weight / atHorizon
    return ends[row] === CENSORED ? 0 : weight / (before[place] as number)
  })
}
