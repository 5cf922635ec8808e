/** Predicted risks and observed outcomes: the input of every figure of validation. */
import { NORMAL_95 } from '../numbers/chi-square.ts'

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

export function estimateWith(value: number, error: number): Estimate {
  return { value, error, from: value - NORMAL_95 * error, to: value + NORMAL_95 * error }
}

/** How much a row counts: its own weight times the draws of its patient. */
export function weightOf({ clusters, weights }: Predictions, row: number, times?: Times): number {
  const own = weights === undefined ? 1 : (weights[row] as number)
  return times === undefined ? own : own * (times[clusters[row] as number] as number)
}

/** Log odds of a risk, limited to the range that the service answers. */
export function logOdds(risk: number): number {
  const held = Math.min(0.9999, Math.max(0.0001, risk))
  return Math.log(held / (1 - held))
}

/** The rows for which the condition holds. */
export function subset(predictions: Predictions, holds: (row: number) => boolean): Predictions {
  const { risks, outcomes, clusters, weights } = predictions
  const isKept = (_value: number, row: number): boolean => holds(row)
  return {
    risks: risks.filter(isKept),
    outcomes: outcomes.filter(isKept),
    clusters: clusters.filter(isKept),
    ...(weights === undefined ? {} : { weights: weights.filter(isKept) }),
  }
}

export function eventsOf({ outcomes }: Predictions): number {
  return outcomes.reduce((sum, outcome) => sum + outcome, 0)
}

export function patientsOf({ clusters }: Pick<Predictions, 'clusters'>): number {
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
