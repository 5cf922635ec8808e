/** What other packages use of patient-risk-engine/sql. */
export { DIALECTS, duckdb } from './dialect.ts'
export { join, sql } from './expression.ts'
export { NotInSql } from './points.ts'
export type { Column, ColumnType, Columns } from './read-field.ts'
export { type SelectOptions, selectFor } from './select.ts'
