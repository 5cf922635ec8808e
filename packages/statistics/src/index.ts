/** What other packages use of @patient-risk/statistics. */
export { ALARM_AT, Detector, type ShareTest, evidenceOfCounts, meanOf, testShare } from './detector.ts'
export {
  type BinCell,
  CalibrationDetector,
  type RiskBin,
  alarmLimits,
  binsOf,
  centreOf,
  centreOfProfile,
  etaOf,
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
export { type Performance, countsOf, performanceOf } from './figures/performance.ts'
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
export { type Counts, hiddenByMonth, hiddenGroups, hiddenParts, isEnough } from './suppression.ts'
