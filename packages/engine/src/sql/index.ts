/** What other packages use of patient-risk-engine/sql. */
export { DIALECTS, type Dialect, duckdb } from './dialect.ts'
export { join, sql } from './fragment.ts'
export { NotInSql } from './not-in-sql.ts'
export type { Column, ColumnType, Columns } from './read-field.ts'
export { type SelectOptions, resultColumns, selectFor } from './select.ts'
