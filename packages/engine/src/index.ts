/**
 * patient-risk-engine: the risk of a patient record, from clinical definitions. `compile` is for programs that score;
 * the rest is for the packages of this repository that serve, watch, draw or translate what the engine does.
 */

/** Score with a packed deployment. */
export { type CompiledDeployment, type Risk, compile } from './compile.ts'
export { PackError, type PackedDeployment, checksumOf, pack } from './packed.ts'
export {
  type ErrorItem,
  type ExplainedResult,
  type PatientRecord,
  type Result,
  type Validity,
  bodyOf,
} from './results.ts'

/** The scorer of a deployment: whole bodies, lines, and single records. */
export {
  type BodyCall,
  type Call,
  type LineCall,
  type Output,
  type Scorer,
  type ScorerOptions,
  type Watching,
  createScorer,
} from './scorer.ts'
export { RECORD_STEPS, type WorkBudget } from './work-meter.ts'
export { type AssessOptions, Assessor, type RecordResult } from './answer/assess.ts'
export { GrowingBuffer } from './answer/growing-buffer.ts'
export type { LinesAnswer, LinesPlace } from './answer/lines.ts'
export type { FeedNotice } from './answer/feed-notice.ts'
export { type RecordWatch, type WatchSample, WatchedBody, type WatchedResult } from './answer/record-watch.ts'
export { SeenIdx, type SeenState } from './answer/seen-idx.ts'
export { Tally, type TallyCounts } from './answer/tally.ts'
export { type Problem, REASONS, problemIn } from './judge/problem.ts'

/** What happened to patients afterwards. */
export {
  OUTCOME_KINDS,
  type OpenedReceipt,
  type OutcomeKind,
  type OutcomeRules,
  type ReadOutcomes,
  type ReceiptPlace,
  type ShadowCell,
  cellKey,
  flagOf,
  receiptKey,
} from './outcomes/outcome-rules.ts'
export { readOutcomes } from './answer/outcomes.ts'

/** A plan: the fields of a deployment by slot, and the values of one record in these slots. */
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

/** What the codes of a sender mean. */
export {
  type CodeMeaning,
  type Codes,
  type FieldCodes,
  codedValues,
  codesWith,
  writtenCode,
} from './plan/codes.ts'

/** A model by its parts: its terms, its trees, and the link from points to a risk. */
export { RISK_UNITS, compileLink, roundRisk } from './score/link.ts'
export { type CompiledModel, type Term, compileModel } from './score/model.ts'
export { type TreeTable, compileTrees } from './score/trees.ts'

/** What one value says about its unit. */
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
