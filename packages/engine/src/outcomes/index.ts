/** What other packages use of patient-risk-engine/outcomes: the cells in which outcomes are counted, without the engine that scores. */
export { type ReceiptPlace, type ShadowCell, cellKey, flagOf } from './outcome-rules.ts'
