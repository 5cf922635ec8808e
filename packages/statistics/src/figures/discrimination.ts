/** The c-statistic: how often a row with the event has the higher risk, ties counting half. */
import {
  type Estimate,
  type Predictions,
  type Times,
  estimateWith,
  eventsOf,
  orderOf,
  rowsOf,
  sumOver,
  varianceByPatient,
  weightOf,
} from '../numbers/predictions.ts'

/**
 * With DeLong's standard error, from ranks, so that it takes as long as sorting. Each row's part in the error is
 * added up by patient (Obuchowski, Biometrics 1997), which is DeLong's formula itself when every patient has one row.
 */
export function cStatistic(predictions: Predictions, order = orderOf(predictions.risks)): Estimate {
  const { outcomes } = predictions
  const eventRows = eventsOf(predictions)
  const [others, events] = totals(predictions)
  // The share of the other group that each row beats.
  const beaten = new Float64Array(outcomes.length)
  let value = 0
  forTies(predictions, order, undefined, (from, to, below, tied) => {
    const asEvent = (below[0] + tied[0] / 2) / others
    const asOther = 1 - (below[1] + tied[1] / 2) / events
    value += (tied[1] * asEvent) / events
    for (const row of order.subarray(from, to)) beaten[row] = outcomes[row] === 1 ? asEvent : asOther
  })
  const scaleOf = (rows: number, total: number): number => Math.sqrt(rows / (rows - 1)) / total
  const scales = [scaleOf(rowsOf(predictions) - eventRows, others), scaleOf(eventRows, events)] as const
  const partOf = (row: number): number =>
    ((beaten[row] as number) - value) * scales[outcomes[row] as 0 | 1] * weightOf(predictions, row)
  const estimate = estimateWith(value, Math.sqrt(varianceByPatient(predictions, partOf)))
  return { ...estimate, from: Math.max(0, estimate.from), to: Math.min(1, estimate.to) }
}

/** The c-statistic of a sample of patients; the order of the risks is given. */
export function weightedC(predictions: Predictions, order: Uint32Array, times: Times): number {
  let wins = 0
  const [others, events] = totals(predictions, times)
  forTies(predictions, order, times, (_from, _to, below, tied) => {
    wins += tied[1] * (below[0] + tied[0] / 2)
  })
  return wins / (events * others)
}

type Weights = readonly [others: number, events: number]

function totals(predictions: Predictions, times?: Times): Weights {
  const outcomeOf = (row: number): number => predictions.outcomes[row] as number
  return [sumOver(predictions, (row) => 1 - outcomeOf(row), times), sumOver(predictions, outcomeOf, times)]
}

/** Calls for each run of equal risks, from the lowest to the highest, with the weights below it and in it. */
function forTies(
  predictions: Predictions,
  order: Uint32Array,
  times: Times | undefined,
  visit: (from: number, to: number, below: Weights, tied: Weights) => void,
): void {
  const { risks, outcomes } = predictions
  let below: Weights = [0, 0]
  for (let from = 0, to = 0; from < order.length; from = to) {
    const risk = risks[order[from] as number]
    const tied: [number, number] = [0, 0]
    for (; to < order.length && risks[order[to] as number] === risk; to++) {
      const row = order[to] as number
      tied[outcomes[row] as 0 | 1] += weightOf(predictions, row, times)
    }
    visit(from, to, below, tied)
    below = [below[0] + tied[0], below[1] + tied[1]]
  }
}
