/** What other packages use of @patient-risk/statistics. */
export {
  type Comparison,
  type ComparisonVerdict,
  type NetBenefitBounds,
  type OutcomeMoves,
  type Reclassification,
  type Unsent,
  compareByOutcome,
  netBenefitBounds,
  netBenefitDifference,
  reclassification,
} from './comparison/compare-by-outcome.ts'
export { type Interval, type PairedCounts, pairedDifference } from './comparison/paired-shares.ts'
export { ALARM_AT, Detector, type ShareTest, evidenceOfCounts, meanOf, testShare } from './detector.ts'
export {
  type AlarmDirection,
  type AlarmFinding,
  type MonthOfBins,
  countsOfBins,
  findingOf,
} from './figures/alarm-finding.ts'
export {
  type BoundedBin,
  type Copies,
  type CountedPart,
  type PartOfBin,
  type RiskBin,
  type ScoredCell,
  allKnown,
  binsOf,
  boundedBin,
  boundedBins,
  boundedParts,
  copiesIn,
} from './figures/bounded-bins.ts'
export {
  CalibrationDetector,
  alarmLimits,
  alternativeWeight,
  centreOf,
  centreOfProfile,
  etaOf,
  gainsOf,
} from './figures/calibration-alarm.ts'
export {
  type BrierScore,
  type Calibration,
  type Means,
  brierScore,
  calibrationOf,
  meansOf,
} from './figures/calibration.ts'
export { cStatistic, weightedC } from './figures/discrimination.ts'
export { type Bounds, type EventBounds, type Reach, eventBounds } from './figures/event-bounds.ts'
export { type BinCell, type DeathAs, OUTCOME, knownOutcomes, numberOf } from './figures/outcome-kinds.ts'
export { type Performance, type PerformanceOptions, countsOf, performanceOf } from './figures/performance.ts'
export { type RiskGroup, riskGroups } from './figures/risk-groups.ts'
export { Design } from './fit/design.ts'
export { estimateAt, fitCalibration } from './fit/fit-calibration.ts'
export {
  type LogisticFit,
  NotEstimable,
  fitByPatient,
  fitLogistic,
  ifEstimable,
  patientSquares,
  robustCovariance,
  scoreSquares,
} from './fit/logistic.ts'
export { newtonStepAt } from './fit/newton-step.ts'
export {
  NORMAL_95,
  chiSquareLimit,
  chiSquareTail,
  noncentralFor,
  noncentralTail,
} from './numbers/chi-square.ts'
export { applied, factorise, quadraticForm, sandwich, solve } from './numbers/cholesky.ts'
export {
  type Estimate,
  type Labels,
  type Predictions,
  type Times,
  clusterCount,
  estimateWith,
  eventsOf,
  expit,
  logOdds,
  orderOf,
  patientsOf,
  shareEstimate,
  subset,
  sumOver,
  varianceByPatient,
  weightOf,
  wilson,
} from './numbers/predictions.ts'
export { DEFAULT_SEED, randomFrom } from './numbers/random.ts'
export { type Concordance, ranksOf } from './survival/concordance.ts'
export { CENSORED, DIED_FIRST, type DeathIs, EVENT, type FollowUp } from './survival/follow-up.ts'
export {
  type Followed,
  type Horizon,
  followedOf,
  horizonOf,
  isFollowed,
  LEAST_REMAINING,
  weighHorizon,
} from './survival/horizon.ts'
export {
  type HorizonFigures,
  type HorizonMeans,
  type HorizonMeasure,
  horizonFigures,
  horizonMeans,
  horizonMeasures,
} from './survival/horizon-figures.ts'
export { type HorizonGroup, horizonGroups } from './survival/horizon-groups.ts'
export { type Counts, hiddenByMonth, hiddenGroups, hiddenParts, isEnough } from './suppression.ts'
