/** What each threshold would flag, find and miss, and its net benefit. The rounded risk decides, as in service. */
import { roundRisk } from 'patient-risk-engine'
import { type Predictions, type Times, weightOf } from '@patient-risk/statistics'

export const AT_THRESHOLD = [
  'flagged',
  'sensitivity',
  'specificity',
  'positiveValue',
  'negativeValue',
  'netBenefit',
] as const
type Name = 'threshold' | 'netBenefitAll' | (typeof AT_THRESHOLD)[number]
export type ThresholdFigures = Readonly<Record<Name, number>>

const UNITS = 10_000

export function thresholdTable(rows: Predictions, times?: Times): (threshold: number) => ThresholdFigures {
  const { risks, outcomes } = rows
  // Events and others at each rounded risk or a higher one, in ten-thousandths.
  const events = new Float64Array(UNITS + 1)
  const others = new Float64Array(UNITS + 1)
  risks.forEach((risk, row) => {
    const unit = Math.round(roundRisk(risk) * UNITS)
    const counts = outcomes[row] === 1 ? events : others
    counts[unit] = (counts[unit] as number) + weightOf(rows, row, times)
  })
  for (const counts of [events, others]) {
    for (let unit = UNITS - 1; unit >= 0; unit--)
      counts[unit] = (counts[unit] as number) + (counts[unit + 1] as number)
  }
  const allEvents = events[0] as number
  const allOthers = others[0] as number
  const all = allEvents + allOthers
  return (threshold) => {
    const unit = Math.min(UNITS, Math.ceil(threshold * UNITS - 1e-9))
    const found = events[unit] as number
    const falseAlarms = others[unit] as number
    const flagged = found + falseAlarms
    const odds = threshold / (1 - threshold)
    return {
      threshold,
      flagged: flagged / all,
      sensitivity: found / allEvents,
      specificity: 1 - falseAlarms / allOthers,
      // NaN when nobody is flagged.
      positiveValue: found / flagged,
      negativeValue: (allOthers - falseAlarms) / (all - flagged),
      // True positives a row, less false positives weighed by the odds of the threshold; flagging nobody gives 0.
      netBenefit: (found - falseAlarms * odds) / all,
      netBenefitAll: (allEvents - allOthers * odds) / all,
    }
  }
}

interface Moves {
  readonly stayYes: number
  readonly stayNo: number
  readonly toYes: number
  readonly toNo: number
}

export interface Reclassification {
  readonly thresholdBefore: number
  readonly thresholdAfter: number
  readonly events: Moves
  readonly others: Moves
}

/** Counts those who move from No to Yes and back when one model takes the place of another. */
export function reclassify(
  { risks, outcomes }: Predictions,
  after: Float64Array,
  thresholdBefore: number,
  thresholdAfter: number,
): Reclassification {
  const none = { stayYes: 0, stayNo: 0, toYes: 0, toNo: 0 }
  const others = { ...none }
  const events = { ...none }
  risks.forEach((risk, row) => {
    const was = roundRisk(risk) >= thresholdBefore
    const is = roundRisk(after[row] as number) >= thresholdAfter
    const moves = outcomes[row] === 1 ? events : others
    if (was) moves[is ? 'stayYes' : 'toNo']++
    else moves[is ? 'toYes' : 'stayNo']++
  })
  return { thresholdBefore, thresholdAfter, events, others }
}
