/** What outcomes say of a deployment and its shadow: the member `outcomes` of `…/v0/shadow`. */
import type { Comparison, OutcomeMoves, Performance, Unsent } from '@patient-risk/statistics'

export interface ShadowOutcomes {
  /** The first and the last month of scoring that is counted. */
  readonly first: string
  readonly last: string
  /** Outcomes that came with both risks. */
  readonly outcomes: number
  readonly events: number
  /** The risk at which a flag is worth its cost; each model flags by its own threshold. */
  readonly threshold: number
  readonly answer: Performance
  readonly shadow: Performance
  readonly moves: OutcomeMoves
  readonly unsent: Unsent
  readonly comparison: Comparison
  readonly text: string
}
