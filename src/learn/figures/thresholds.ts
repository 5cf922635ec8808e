/** What each threshold would flag, find and miss, and its net benefit. The rounded risk decides, as in service. */
import { roundRisk } from '../../engine/score/round.ts'
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

export class ThresholdTable {
  /** Events and others at each rounded risk, in ten-thousandths. */
  private readonly events = new Float64Array(UNITS + 1)
  private readonly others = new Float64Array(UNITS + 1)
  private readonly rows: number
  private readonly allEvents: number

  constructor(predictions: Predictions, times?: Times) {
    const { risks, outcomes } = predictions
    let allEvents = 0
    let rows = 0
    risks.forEach((risk, row) => {
      const weight = weightOf(predictions, row, times)
      const unit = Math.round(roundRisk(risk) * UNITS)
      const counts = outcomes[row] === 1 ? this.events : this.others
      counts[unit] = (counts[unit] as number) + weight
      allEvents += weight * (outcomes[row] as number)
      rows += weight
    })
    this.rows = rows
    this.allEvents = allEvents
    for (let unit = UNITS - 1; unit >= 0; unit--) {
      this.events[unit] = (this.events[unit] as number) + (this.events[unit + 1] as number)
      this.others[unit] = (this.others[unit] as number) + (this.others[unit + 1] as number)
    }
  }

  at(threshold: number): ThresholdFigures {
    const unit = Math.min(UNITS, Math.ceil(threshold * UNITS - 1e-9))
    const found = this.events[unit] as number
    const falseAlarms = this.others[unit] as number
    const allOthers = this.rows - this.allEvents
    const flagged = found + falseAlarms
    const odds = threshold / (1 - threshold)
    return {
      threshold,
      flagged: flagged / this.rows,
      sensitivity: found / this.allEvents,
      specificity: 1 - falseAlarms / allOthers,
      positiveValue: found / flagged,
      negativeValue: (allOthers - falseAlarms) / (this.rows - flagged),
      netBenefit: (found - falseAlarms * odds) / this.rows,
      netBenefitAll: (this.allEvents - allOthers * odds) / this.rows,
    }
  }
}
