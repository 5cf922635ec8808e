/** Who moves from No to Yes and back when one model takes the place of another. */
import { roundRisk } from '../../engine/score/round.ts'

export interface Reclassification {
  readonly thresholdBefore: number
  readonly thresholdAfter: number
  readonly events: Moves
  readonly others: Moves
}

export interface Moves {
  readonly stayYes: number
  readonly stayNo: number
  readonly toYes: number
  readonly toNo: number
}

/** The rounded risk decides, as in service. */
export function reclassify(
  before: Float64Array,
  after: Float64Array,
  outcomes: Uint8Array,
  thresholdBefore: number,
  thresholdAfter: number,
): Reclassification {
  const none = { stayYes: 0, stayNo: 0, toYes: 0, toNo: 0 }
  const counts: readonly [typeof none, typeof none] = [{ ...none }, { ...none }]
  for (let row = 0; row < outcomes.length; row++) {
    const was = roundRisk(before[row] as number) >= thresholdBefore
    const is = roundRisk(after[row] as number) >= thresholdAfter
    const moves = counts[outcomes[row] as 0 | 1]
    if (was && is) moves.stayYes++
    else if (was) moves.toNo++
    else if (is) moves.toYes++
    else moves.stayNo++
  }
  return { thresholdBefore, thresholdAfter, events: counts[1], others: counts[0] }
}
