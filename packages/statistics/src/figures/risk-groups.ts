/** Groups of rows by rising risk: how many events were predicted in each, and how many were observed. */
import { type Predictions, eventsOf, orderOf, rowsOf, shareEstimate, subset } from '../numbers/predictions.ts'
import { meansOf } from './calibration.ts'
const GROUPS = 10

/** Ten groups of rising risk. Rows of the same risk stay together, so a score of few values gives fewer groups. */
export function riskGroups(
  predictions: Predictions,
  order: Uint32Array = orderOf(predictions.risks),
): readonly RiskGroup[] {
  const { risks, counts } = predictions
  const riskAt = (place: number): number => risks[order[place] as number] as number
  const groups: RiskGroup[] = []
  const rows = rowsOf(predictions)
  for (let start = 0, end = 0, before = 0; start < order.length; start = end) {
    const wanted = Math.round(((groups.length + 1) * rows) / GROUPS)
    for (; end < order.length && (end === start || before < wanted || riskAt(end) === riskAt(end - 1)); end++)
      before += counts?.[order[end] as number] ?? 1
    const lowest = riskAt(start)
    const highest = riskAt(end - 1)
    const isIn = (row: number): boolean =>
      (risks[row] as number) >= lowest && (risks[row] as number) <= highest
    groups.push(riskGroup(subset(predictions, isIn), lowest, highest))
  }
  return groups
}

/** `from` and `to` are Wilson's 95 % interval of the observed share, by patient. */
export interface RiskGroup {
  readonly rows: number
  readonly events: number
  readonly predicted: number
  readonly observed: number
  readonly from: number
  readonly to: number
  readonly lowest: number
  readonly highest: number
}

export function riskGroup(part: Predictions, lowest: number, highest: number): RiskGroup {
  const { value: observed, from, to } = shareEstimate(part, (row) => part.outcomes[row] === 1)
  const { meanPredicted: predicted } = meansOf(part)
  return { rows: rowsOf(part), events: eventsOf(part), predicted, observed, from, to, lowest, highest }
}
