/** What other packages use of @patient-risk/data/learn. */
export { type GatherInput, gather, modelRunFor } from './data/gather.ts'
export {
  type DataSpecificationType,
  MISSING_TEXTS,
  SPECIFICATION_FILE,
  type Specification,
  SpecificationFile,
  checkSpecification,
  readSpecification,
} from './data/specification.ts'
export type { Subgroup } from './figures/subgroups.ts'
export { estimate } from './fit/estimate.ts'
export { type Candidates, type Method, candidatesFor } from './fit/recalibrate-candidates.ts'
export { MOST_PARAMETERS, planSample } from './fit/sample-size.ts'
export type { Power } from './fit/score-test.ts'
export { FORMATS, recognised } from './import/readers.ts'
export { readXgboost } from './import/xgboost.ts'
export { intendedUsePage, tripodChecklist } from './report/checklist.ts'
export type { FollowUpPart, FollowUpReading } from './figures/follow-up-figures.ts'
export type { FollowUpReport } from './report/follow-up-report.ts'
export type { MadeModel, Report } from './report/report.ts'
export { integer, percent, signed } from './report/texts.ts'
export { driftModel } from './tasks/drift-model.ts'
export { fitModel } from './tasks/fit-model.ts'
export { importModel } from './tasks/import-model.ts'
export {
  type Limited,
  type MonitorReport,
  monitorMonths,
  readRisks,
  scoreMonths,
} from './tasks/monitor-months.ts'
export { recalibrateModel } from './tasks/recalibrate-model.ts'
export { type Template, templateFor } from './tasks/template.ts'
export { validateFollowUp } from './tasks/validate-follow-up.ts'
export { validateModel } from './tasks/validate-model.ts'
