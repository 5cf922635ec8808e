/** What other packages use of patient-risk. */
export { createScorer } from './index.ts'
