/** Predicted risks and observed outcomes: the input of every figure of validation. */

export interface Predictions {
  /** Before rounding. */
  readonly risks: Float64Array
  readonly outcomes: Uint8Array
  /** The patient of each row, numbered from 0. */
  readonly clusters: Int32Array
  /** How much each row counts, where the data have a column of weights. */
  readonly weights?: Float64Array
}

/** How often each patient counts in a bootstrap sample. */
export type Times = ArrayLike<number>

/** A figure with its standard error and 95 % interval. */
export interface Estimate {
  readonly value: number
  readonly error: number
  readonly from: number
  readonly to: number
}

/** How much a row counts: its own weight times the draws of its patient. */
export function weightOf({ clusters, weights }: Predictions, row: number, times?: Times): number {
  const own = weights === undefined ? 1 : (weights[row] as number)
  return times === undefined ? own : own * (times[clusters[row] as number] as number)
}

/** Whether errors must be worked out by patient: rows of one patient are not independent, and weights are not counts. */
export function needsRobustErrors(predictions: Predictions): boolean {
  return predictions.weights !== undefined || patientsOf(predictions) < predictions.risks.length
}

/** Log odds of a risk, limited to the range that the service answers. */
export function logOdds(risk: number): number {
  const held = Math.min(0.9999, Math.max(0.0001, risk))
  return Math.log(held / (1 - held))
}

/** The rows for which the condition holds. */
export function subset(predictions: Predictions, holds: (row: number) => boolean): Predictions {
  const places = Uint32Array.from(predictions.risks.keys()).filter(holds)
  const { weights } = predictions
  return {
    risks: Float64Array.from(places, (place) => predictions.risks[place] as number),
    outcomes: Uint8Array.from(places, (place) => predictions.outcomes[place] as number),
    clusters: Int32Array.from(places, (place) => predictions.clusters[place] as number),
    ...(weights === undefined
      ? {}
      : { weights: Float64Array.from(places, (place) => weights[place] as number) }),
  }
}

export function eventsOf({ outcomes }: Predictions): number {
  let events = 0
  for (const outcome of outcomes) events += outcome
  return events
}

export function patientsOf({ clusters }: Predictions): number {
  const seen = new Uint8Array(clusterCount(clusters))
  let patients = 0
  for (const cluster of clusters) {
    if (seen[cluster] === 0) patients++
    seen[cluster] = 1
  }
  return patients
}

/** One more than the highest number of a patient. */
export function clusterCount(clusters: Int32Array): number {
  let count = 0
  for (const cluster of clusters) if (cluster >= count) count = cluster + 1
  return count
}
