/** Shares with intervals by patient, and rows in ten groups of rising risk: what was predicted and what happened in each. */
import { NORMAL_95 } from '../numbers/chi-square.ts'
import { orderOf } from '../numbers/radix-order.ts'
import { meansOf } from './calibration.ts'
import {
  type Estimate,
  type Predictions,
  clusterCount,
  estimateWith,
  eventsOf,
  subset,
  weightOf,
} from './predictions.ts'

export interface RiskGroup {
  readonly rows: number
  readonly events: number
  readonly predicted: number
  readonly observed: number
  /** Wilson's 95 % interval of the observed share, by patient. */
  readonly from: number
  readonly to: number
  readonly lowest: number
  readonly highest: number
}

const GROUPS = 10

/** Rows of the same risk stay together, so a score of few values gives fewer groups. */
export function riskGroups(
  predictions: Predictions,
  order: Uint32Array = orderOf(predictions.risks),
): readonly RiskGroup[] {
  const { risks } = predictions
  const riskAt = (place: number): number => risks[order[place] as number] as number
  const groups: RiskGroup[] = []
  for (let from = 0, to = 0; from < order.length; from = to) {
    const wanted = Math.max(from + 1, Math.round(((groups.length + 1) * order.length) / GROUPS))
    to = Math.min(order.length, wanted)
    while (to < order.length && riskAt(to) === riskAt(to - 1)) to++
    const [lowest, highest] = [riskAt(from), riskAt(to - 1)]
    const part = subset(
      predictions,
      (row) => (risks[row] as number) >= lowest && (risks[row] as number) <= highest,
    )
    const { value: observed, ...share } = shareEstimate(
      part,
      () => true,
      (row) => part.outcomes[row] === 1,
    )
    groups.push({
      rows: part.risks.length,
      events: eventsOf(part),
      predicted: meansOf(part).meanPredicted,
      observed,
      from: share.from,
      to: share.to,
      lowest,
      highest,
    })
  }
  return groups
}

/**
 * Among the rows in `isCounted`, the share for which `isYes` holds. The standard error is by patient; the interval is
 * Wilson's for the number of independent rows that would have the same error. With one row a patient it is the plain one.
 */
export function shareEstimate(
  predictions: Predictions,
  isCounted: (row: number) => boolean,
  isYes: (row: number) => boolean,
): Estimate {
  const { clusters } = predictions
  let total = 0
  let yes = 0
  for (let row = 0; row < clusters.length; row++) {
    if (!isCounted(row)) continue
    const weight = weightOf(predictions, row)
    total += weight
    if (isYes(row)) yes += weight
  }
  if (total === 0) return estimateWith(Number.NaN, Number.NaN)
  const value = yes / total
  const sums = new Float64Array(clusterCount(clusters))
  const seen = new Uint8Array(sums.length)
  for (let row = 0; row < clusters.length; row++) {
    if (!isCounted(row)) continue
    const cluster = clusters[row] as number
    seen[cluster] = 1
    const part = (weightOf(predictions, row) * ((isYes(row) ? 1 : 0) - value)) / total
    sums[cluster] = (sums[cluster] as number) + part
  }
  const variance = sums.reduce((sum, part) => sum + part * part, 0)
  const patients = seen.reduce((sum, one) => sum + one, 0)
  return {
    value,
    error: Math.sqrt(variance),
    ...wilson(value, variance > 0 ? (value * (1 - value)) / variance : patients),
  }
}

/** Wilson's 95 % interval of a share among so many independent rows. */
export function wilson(share: number, rows: number): { readonly from: number; readonly to: number } {
  const square = NORMAL_95 * NORMAL_95
  const centre = (share + square / (2 * rows)) / (1 + square / rows)
  const margin =
    (NORMAL_95 * Math.sqrt((share * (1 - share)) / rows + square / (4 * rows * rows))) / (1 + square / rows)
  return { from: Math.max(0, centre - margin), to: Math.min(1, centre + margin) }
}
