/** Predicted risks and observed outcomes: the input of every figure of validation. */
import { NORMAL_95 } from './chi-square.ts'

export interface Labels {
  readonly outcomes: Uint8Array
  /** The patient of each row, numbered from 0. */
  readonly clusters: Int32Array
  readonly weights?: Float64Array
  /** How many patients each row stands for. Then they are the weights too, and every row is a cluster of its own. */
  readonly counts?: Float64Array
}

/** Which rows are of one patient. */
type Clustered = Pick<Labels, 'clusters' | 'counts'>

export interface Predictions extends Labels {
  /** Before rounding. */
  readonly risks: Float64Array
}

/** How often each patient counts in a bootstrap sample. */
export type Times = ArrayLike<number>

export interface Estimate {
  readonly value: number
  /** The standard error. */
  readonly error: number
  readonly from: number
  readonly to: number
}

export function estimateWith(value: number, error: number): Estimate {
  return { value, error, from: value - NORMAL_95 * error, to: value + NORMAL_95 * error }
}

export function weightOf(
  { clusters, weights }: Pick<Labels, 'clusters' | 'weights'>,
  row: number,
  times?: Times,
): number {
  const own = weights === undefined ? 1 : (weights[row] as number)
  return times === undefined ? own : own * (times[clusters[row] as number] as number)
}

export function sumOver(labels: Labels, valueOf: (row: number) => number, times?: Times): number {
  let sum = 0
  for (let row = 0; row < labels.outcomes.length; row++) sum += weightOf(labels, row, times) * valueOf(row)
  return sum
}

/** The variance of a sum over rows: the parts of each patient's rows are added up first. */
export function varianceByPatient({ clusters, counts }: Clustered, partOf: (row: number) => number): number {
  // The part of a row is that of all its patients, who are independent.
  if (counts !== undefined) return counts.reduce((sum, count, row) => sum + partOf(row) ** 2 / count, 0)
  const sums = new Float64Array(clusterCount(clusters))
  clusters.forEach((cluster, row) => (sums[cluster] = (sums[cluster] as number) + partOf(row)))
  return sums.reduce((sum, part) => sum + part * part, 0)
}

/**
 * The share of the rows for which `isYes` holds. The standard error is by patient; the interval is Wilson's for the number
 * of independent rows that would have the same error. With one row a patient it is the plain one.
 */
export function shareEstimate(labels: Labels, isYes: (row: number) => boolean): Estimate {
  const yes = (row: number): number => (isYes(row) ? 1 : 0)
  const total = sumOver(labels, () => 1)
  if (total === 0) return estimateWith(Number.NaN, Number.NaN)
  const value = sumOver(labels, yes) / total
  const partOf = (row: number): number => (weightOf(labels, row) * (yes(row) - value)) / total
  const variance = varianceByPatient(labels, partOf)
  const rows = variance > 0 ? (value * (1 - value)) / variance : patientsOf(labels)
  return { value, error: Math.sqrt(variance), ...wilson(value, rows) }
}

/** Wilson's 95 % interval of a share among `rows` independent rows. */
export function wilson(share: number, rows: number): Pick<Estimate, 'from' | 'to'> {
  const square = NORMAL_95 * NORMAL_95
  const centre = (share + square / (2 * rows)) / (1 + square / rows)
  const margin =
    (NORMAL_95 * Math.sqrt((share * (1 - share)) / rows + square / (4 * rows * rows))) / (1 + square / rows)
  return { from: Math.max(0, centre - margin), to: Math.min(1, centre + margin) }
}

/** Log odds of a risk, limited to the range that the service answers. */
export function logOdds(risk: number): number {
  const held = Math.min(0.9999, Math.max(0.0001, risk))
  return Math.log(held / (1 - held))
}

export function expit(odds: number): number {
  return 1 / (1 + Math.exp(-odds))
}

export function subset<T extends object>(rows: T, holds: (row: number) => boolean): T {
  const columns = Object.entries(rows) as [string, Float64Array][]
  const kept = columns.map(([name, values]) => [name, values.filter((_value, row) => holds(row))])
  return Object.fromEntries(kept) as T
}

export function eventsOf({ outcomes, counts }: Pick<Labels, 'outcomes' | 'counts'>): number {
  return outcomes.reduce((sum, outcome, row) => sum + outcome * (counts?.[row] ?? 1), 0)
}

export function rowsOf({ outcomes, counts }: Pick<Labels, 'outcomes' | 'counts'>): number {
  return counts?.reduce((sum, count) => sum + count, 0) ?? outcomes.length
}

export function patientsOf({ clusters, counts }: Clustered): number {
  if (counts !== undefined) return counts.reduce((sum, count) => sum + count, 0)
  const seen = new Uint8Array(clusterCount(clusters))
  for (const cluster of clusters) seen[cluster] = 1
  return seen.reduce((sum, one) => sum + one, 0)
}

/** One more than the highest number of a patient. */
export function clusterCount(clusters: Int32Array): number {
  return clusters.reduce((count, cluster) => Math.max(count, cluster + 1), 0)
}

/** The rows from the lowest to the highest risk; equal ones keep their order. */
export function orderOf(risks: Float64Array): Uint32Array {
  return new Uint32Array(risks.keys()).sort((a, b) => (risks[a] as number) - (risks[b] as number))
}
