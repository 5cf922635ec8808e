/** The c-statistic: how often a row with the event has the higher risk, ties counting half. */
import { NORMAL_95 } from '../numbers/chi-square.ts'
import { orderOf } from '../numbers/radix-order.ts'
import type { Estimate, Predictions } from './predictions.ts'

/** With DeLong's standard error, worked out from ranks, so that the time grows as that of sorting. */
export function cStatistic({ risks, outcomes }: Predictions, order: Uint32Array = orderOf(risks)): Estimate {
  let events = 0
  for (const outcome of outcomes) events += outcome
  const others = outcomes.length - events
  const forEvents = new Spread()
  const forOthers = new Spread()
  let eventsBelow = 0
  let othersBelow = 0
  forTies(order, risks, (from, to) => {
    let tiedEvents = 0
    for (let place = from; place < to; place++) tiedEvents += outcomes[order[place] as number] as number
    const tiedOthers = to - from - tiedEvents
    // The share of the other group that a row of this tie beats.
    forEvents.add((othersBelow + tiedOthers / 2) / others, tiedEvents)
    forOthers.add(1 - (eventsBelow + tiedEvents / 2) / events, tiedOthers)
    eventsBelow += tiedEvents
    othersBelow += tiedOthers
  })
  const value = forEvents.mean
  const error = Math.sqrt(forEvents.variance / events + forOthers.variance / others)
  return {
    value,
    error,
    from: Math.max(0, value - NORMAL_95 * error),
    to: Math.min(1, value + NORMAL_95 * error),
  }
}

/** The c-statistic when each cluster counts so many times; the order of the risks is given. */
export function weightedC(
  { risks, outcomes, clusters }: Predictions,
  order: Uint32Array,
  weights: ArrayLike<number>,
): number {
  let wins = 0
  let events = 0
  let othersBelow = 0
  forTies(order, risks, (from, to) => {
    let tiedEvents = 0
    let tiedOthers = 0
    for (let place = from; place < to; place++) {
      const row = order[place] as number
      const times = weights[clusters[row] as number] as number
      if (outcomes[row] === 1) tiedEvents += times
      else tiedOthers += times
    }
    wins += tiedEvents * (othersBelow + tiedOthers / 2)
    events += tiedEvents
    othersBelow += tiedOthers
  })
  return wins / (events * othersBelow)
}

/** Calls for each run of equal risks, from the lowest to the highest. */
function forTies(order: Uint32Array, risks: Float64Array, visit: (from: number, to: number) => void): void {
  let from = 0
  while (from < order.length) {
    const risk = risks[order[from] as number]
    let to = from + 1
    while (to < order.length && risks[order[to] as number] === risk) to++
    visit(from, to)
    from = to
  }
}

/** Mean and sample variance of values that come many at a time. */
class Spread {
  mean = 0
  private count = 0
  private squares = 0

  add(value: number, times: number): void {
    if (times === 0) return
    this.count += times
    const distance = value - this.mean
    this.mean += (distance * times) / this.count
    this.squares += times * distance * (value - this.mean)
  }

  get variance(): number {
    return this.squares / (this.count - 1)
  }
}
