/** Scoring of tables. A door of its own, because it loads what prints SQL. */
export { scoreTables } from './score-tables.ts'
