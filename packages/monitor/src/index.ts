/** What other packages use of @patient-risk/monitor. */
export type { Alarm, AlarmStore, AlarmSubject } from './alarms/alarm.ts'
export { AlarmBoard } from './alarms/alarm-board.ts'
export type { MonitoredCatalog, MonitoredDeployment } from './deployment.ts'
export { DriftWatch } from './drift/drift-watch.ts'
export { type Drift, ProfileCounter, driftOf } from './drift/profile.ts'
export {
  type DoubtKind,
  type FeedDoubt,
  DOUBT_KINDS,
  SERIOUS_DOUBTS,
  feedDoubtHeader,
} from './feeds/feed-doubt.ts'
export { FeedCounts, type FeedCountsData } from './feeds/feed-counts.ts'
export { type ObservedSlots, type SeenRecords, SeenRecordsBuffer } from './feeds/seen-records.ts'
export { FeedMonitor } from './feeds/feed-monitor.ts'
export { type FeedFieldPlan, type FeedPlan, type FeedSource, planFeed } from './feeds/feed-plan.ts'
export { Feed, LEVEL, doubtsOfFile } from './feeds/feed.ts'
export { LIGHT } from './feeds/rules/evidence.ts'
export type { Host, MonitorClock, MonitorLog } from './host.ts'
export { FigureCache } from './outcomes/figure-cache.ts'
export { ACCEPTED_MONTHS, lastComplete, lastKnown, monthOfDay, oldestAccepted } from './outcomes/months.ts'
export type {
  CellColumn,
  CountedCell,
  OutcomeCell,
  OutcomeStore,
  ScoredColumn,
  ScoredCount,
  ScoredMonth,
  ServedState,
  ShadowCounts,
} from './outcomes/outcome-store.ts'
export { OutcomeWatch, WHOLE, knownAfter } from './outcomes/outcome-watch.ts'
export {
  type LocalEvidence,
  type PerformanceReport,
  ACKNOWLEDGE_REASONS,
} from './outcomes/performance-report.ts'
export { localEvidence } from './outcomes/local-evidence.ts'
export { competingOf, deathInFigures } from './outcomes/death.ts'
export { performanceAnswer } from './outcomes/performance-answer.ts'
export { type ShadowOutcomes, shadowOutcomes } from './outcomes/shadow-outcomes.ts'
export { Shadow, countsOfAll, makeShadows } from './shadow/shadow.ts'
export { FeedField, type WatchedField, watchedFields } from './units/feed-units.ts'
export { type CollectorSource, type Observed, RecordCollector } from './watch/record-collector.ts'
export type { SeenCode } from './feeds/foreign-codes.ts'
export { doubtText, noticeOf } from './watch/doubt-text.ts'
export { FileFeed, type FileFeedState } from './watch/file-feed.ts'
export { CODED_FIELDS, foreignCodesOf } from './feeds/knowledge/conventions.ts'
export { MISSING_CODES, MISSING_TEXTS } from './feeds/knowledge/missing-codes.ts'
export { FeedWatch, watchFeeds } from './watch/feed-watch.ts'
export { type UnitMonitor, watchUnits } from './units/unit-monitor.ts'
