/** Rows in ten groups of rising risk: what was predicted and what happened in each. */
import { orderOf } from '../numbers/radix-order.ts'
import { type Predictions, eventsOf, subset, weightOf } from './predictions.ts'
import { shareEstimate } from './share.ts'

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
    groups.push({ ...groupOf(part), lowest, highest })
  }
  return groups
}

function groupOf(part: Predictions): Omit<RiskGroup, 'lowest' | 'highest'> {
  const { value, from, to } = shareEstimate(
    part,
    () => true,
    (row) => part.outcomes[row] === 1,
  )
  let predicted = 0
  let total = 0
  part.risks.forEach((risk, row) => {
    predicted += weightOf(part, row) * risk
    total += weightOf(part, row)
  })
  return {
    rows: part.risks.length,
    events: eventsOf(part),
    predicted: predicted / total,
    observed: value,
    from,
    to,
  }
}
