/** Log lines without patient data. A door of its own, because every command has one and few load the service. */
export { LOG_FIELDS, type Log, createLog, reportUncaughtErrors } from './log.ts'
