/** Scoring of tables. A door of its own, because it loads what prints SQL. */
export { type InspectedTable, inspectTable } from './inspect-table.ts'
export { WrittenOtherwise } from './other-readings.ts'
export { scoreTables } from './score-tables.ts'
