/** What each threshold would flag, find and miss, and its net benefit. The rounded risk decides, as in service. */
import { roundRisk } from '../../engine/score/link.ts'
import { type Predictions, type Times, weightOf } from './predictions.ts'

export interface ThresholdFigures {
  readonly threshold: number
  readonly flagged: number
  readonly sensitivity: number
  readonly specificity: number
  /** NaN when nobody is flagged. */
  readonly positiveValue: number
  readonly negativeValue: number
  /** True positives a row, less false positives weighed by the odds of the threshold. */
  readonly netBenefit: number
  /** The same when everybody is flagged; flagging nobody gives 0. */
  readonly netBenefitAll: number
}

const UNITS = 10_000

/** The figures at any threshold. */
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
  const [allEvents, allOthers] = [events[0] as number, others[0] as number]
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
      positiveValue: found / flagged,
      negativeValue: (allOthers - falseAlarms) / (all - flagged),
      netBenefit: (found - falseAlarms * odds) / all,
      netBenefitAll: (allEvents - allOthers * odds) / all,
    }
  }
}
