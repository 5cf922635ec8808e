/** What other packages use of @patient-risk/monitor. */
export { AlarmBoard } from './alarms/alarm-board.ts'
export { DriftWatch, recordAround } from './drift/drift-watch.ts'
export { type Drift, ProfileCounter, driftOf } from './drift/profile.ts'
export { OutcomeWatch, WHOLE, monthOfDay } from './outcomes/outcome-watch.ts'
export { performanceAnswer } from './outcomes/performance-answer.ts'
export { Shadow, countsOfAll, makeShadows } from './shadow/shadow.ts'
export { FeedField, type WatchedField } from './units/feed-units.ts'
export { type FeedWatch, watchUnits } from './units/unit-watch.ts'
