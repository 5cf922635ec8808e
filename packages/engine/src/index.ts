/** What other packages use of patient-risk-engine. */
export { type AssessOptions, Assessor, type RecordResult } from './answer/assess.ts'
export { GrowingBuffer } from './answer/growing-buffer.ts'
export type { LinesAnswer, LinesPlace } from './answer/lines.ts'
export { type OutcomeRules, type ReadOutcomes, readOutcomes } from './answer/outcomes.ts'
export { SeenIdx, type SeenState } from './answer/seen-idx.ts'
export { Tally, type TallyCounts } from './answer/tally.ts'
export { type Problem, REASONS } from './judge/problem.ts'
export {
  type Conversion,
  type Conversions,
  type Definitions,
  type FieldPlan,
  type Plan,
  capitalise,
  makePlan,
} from './plan/plan.ts'
export { STATE, Slots } from './plan/slots.ts'
export {
  FEWEST_VALUES,
  type UnitSource,
  factorOf,
  hintOf,
  hintText,
  likelyUnit,
  unitFields,
  usualIn,
} from './score/likely-unit.ts'
export { RISK_UNITS, compileLink, roundRisk } from './score/link.ts'
export { type CompiledModel, type Term, compileModel } from './score/model.ts'
export { type TreeTable, compileTrees } from './score/trees.ts'
export {
  type BodyCall,
  type Call,
  type LineCall,
  type Output,
  type Scorer,
  type ScorerOptions,
  createScorer,
} from './scorer.ts'
export { RECORD_STEPS, type WorkBudget } from './work-meter.ts'
