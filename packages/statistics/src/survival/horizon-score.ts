/** The Brier score and the areas under the curve at the horizon. */
import type { Horizon, HorizonWeights } from './horizon.ts'

export interface HorizonScore {
  /** The mean squared distance between the risk and what happened by the horizon. */
  readonly value: number
  /** The same if everybody had the observed share as risk. */
  readonly constant: number
  /** One minus their ratio. */
  readonly scaled: number
}

export function horizonScore(
  { rows: { risks }, outcomes }: Horizon,
  { atHorizon }: HorizonWeights,
  observed: number,
): HorizonScore {
  let sum = 0
  let total = 0
  for (let row = 0; row < risks.length; row++) {
    const weight = atHorizon[row] as number
    total += weight
    sum += weight * ((outcomes[row] as number) - (risks[row] as number)) ** 2
  }
  const value = sum / total
  const constant = observed * (1 - observed)
  return { value, constant, scaled: 1 - value / constant }
}

export interface HorizonArea {
  /** Against everybody without the event by the horizon: who died first is one of them. */
  readonly value: number
  /** Against those alone who were followed beyond the horizon, free of event and death. */
  readonly eventFree: number
}

/** NaN where one side is empty. */
export function horizonArea(
  { timeline: { placeOf, within }, outcomes, ranks: { rankOf, size } }: Horizon,
  { atHorizon }: HorizonWeights,
): HorizonArea {
  const cases = new Float64Array(size)
  const controls = new Float64Array(size)
  const eventFree = new Float64Array(size)
  for (let row = 0; row < outcomes.length; row++) {
    const weight = atHorizon[row] as number
    const rank = rankOf[row] as number
    const side = outcomes[row] === 1 ? cases : controls
    side[rank] = (side[rank] as number) + weight
    if ((placeOf[row] as number) >= within) eventFree[rank] = (eventFree[rank] as number) + weight
  }
  return { value: areaBetween(cases, controls), eventFree: areaBetween(cases, eventFree) }
}

/** From weights by rank; equal ranks count half. */
function areaBetween(cases: Float64Array, controls: Float64Array): number {
  let below = 0
  let wins = 0
  let total = 0
  for (let rank = 0; rank < cases.length; rank++) {
    const tied = controls[rank] as number
    const here = cases[rank] as number
    wins += here * (below + tied / 2)
    below += tied
    total += here
  }
  return wins / (total * below)
}
