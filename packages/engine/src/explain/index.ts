/** What other packages use of patient-risk-engine/explain. */
export type { ExplainedTerm, ExplainedValue, Explanation } from './explain.ts'
export { NOTICE_CODES, type Notice } from './notices.ts'
export type { RiskRange } from './range.ts'
export type { RestsOn } from './rests-on.ts'
export type { ScaleState } from './scale-states.ts'
