/** A table of patients for the recipes that a test runs night after night, and what changes in it. */

/** SQL that DuckDB and PostgreSQL both take. Patient 7 has a date of tomorrow, and every twentieth an age that is out of range. */
export const CREATE = `CREATE TABLE patients (idx bigint PRIMARY KEY, age int, sex text, "inpatientAdmissions" int,
  "emergencyAdmissions" int, "stayDays" int, barthel_date date, updated_at timestamp)`
export const FILL = `INSERT INTO patients
  SELECT i, CASE WHEN i % 20 = 0 THEN 300 ELSE 60 + i % 40 END, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END, i % 4, i % 3, i % 20,
    CASE WHEN i = 7 THEN current_date + 1 WHEN i = 8 THEN current_date END,
    timestamp '2026-01-01 00:00:00' + i * interval '1 minute'
  FROM generate_series(1, 200) AS given (i)`
export const COLUMNS = 'idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,barthel_date,updated_at'

/** Two rows change, two are new, one of them with a time before all others, and three are gone. */
export const CHANGE: readonly string[] = [
  `UPDATE patients SET age = age + 1, updated_at = timestamp '2026-11-01 00:00:00' WHERE idx IN (11, 12)`,
  `INSERT INTO patients VALUES (900, 70, 'F', 0, 0, 3, NULL, timestamp '2001-01-01 00:00:00')`,
  `INSERT INTO patients VALUES (901, 70, 'F', 0, 0, 3, NULL, timestamp '2026-11-01 00:00:00')`,
  'DELETE FROM patients WHERE idx IN (20, 21, 22)',
]
export const CHANGED: readonly number[] = [11, 12, 900, 901]
export const FIRST = 200
export const AFTER = 199
