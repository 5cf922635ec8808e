/** Predicted risks beside what happened: what every figure of validation is worked out from. */

export interface Predictions {
  /** Before rounding. */
  readonly risks: Float64Array
  readonly outcomes: Uint8Array
  /** The patient of each row, numbered from 0. */
  readonly clusters: Int32Array
}

/** Log odds of a risk, held within the smallest and largest number that the service answers. */
export function logOdds(risk: number): number {
  const held = Math.min(0.9999, Math.max(0.0001, risk))
  return Math.log(held / (1 - held))
}

/** The rows of some places only. */
export function subset(predictions: Predictions, places: Uint32Array): Predictions {
  return {
    risks: Float64Array.from(places, (place) => predictions.risks[place] as number),
    outcomes: Uint8Array.from(places, (place) => predictions.outcomes[place] as number),
    clusters: Int32Array.from(places, (place) => predictions.clusters[place] as number),
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

/** A figure with its standard error and 95 % interval. */
export interface Estimate {
  readonly value: number
  readonly error: number
  readonly from: number
  readonly to: number
}
