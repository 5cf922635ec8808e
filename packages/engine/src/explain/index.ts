/** What other packages use of patient-risk-engine/explain. */
export type { ExplainedTerm, ExplainedValue, Explanation } from './explain.ts'
export { CONTRIBUTIONS_NOT_COMPUTED, NOTICE_CODES, type Notice, RANGE_NOT_COMPUTED } from './notices.ts'
export type { RiskRange } from './range.ts'
export type { RestsOn } from './rests-on.ts'
export type { ScaleState } from './scale-states.ts'
