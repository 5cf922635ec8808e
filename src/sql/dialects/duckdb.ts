/** DuckDB. Literals with a decimal point are DECIMAL there, so doubles are written with an exponent. */
import type { Dialect } from '../dialect.ts'
import { sql } from '../stages.ts'
import { dateLiteral, doubleQuoted, singleQuoted } from './standard.ts'

export const duckdb: Dialect = {
  name: 'duckdb',
  identifier: doubleQuoted,
  string: singleQuoted,
  double,
  textType: 'VARCHAR',
  doubleType: 'DOUBLE',
  stepOpen: 'NOT MATERIALIZED ',
  stepClose: '',
  repeats: 'in',
  matches: (text, pattern) => sql`regexp_full_match(${text}, ${singleQuoted(pattern)})`,
  numberOf: (text, pattern) =>
    sql`CASE WHEN regexp_full_match(${text}, ${singleQuoted(pattern)}) THEN CAST(${text} AS DOUBLE) END`,
  // A text that the engine prints again letter by letter is a plain integer, whatever else its cast accepts.
  plainInteger: (text) =>
    sql`CASE WHEN CAST(TRY_CAST(${text} AS INTEGER) AS VARCHAR) = ${text} THEN TRY_CAST(${text} AS INTEGER) END`,
  withoutNaN: (value) => sql`CASE WHEN NOT isnan(${value}) THEN ${value} END`,
  isWhole: (value) => sql`floor(${value}) = ${value}`,
  elementAt: (list, position) => sql`list_extract(${list}, ${position})`,
  doubles: (values) => `[${values.map(double).join(', ')}]`,
  integers: (values) => `[${values.join(', ')}]`,
  countNotAbove: undefined,
  withoutControls: (text) => sql`regexp_replace(${text}, '[[:cntrl:]]', '?', 'g')`,
  dateText: (date) => sql`strftime(${date}, '%d-%m-%Y')`,
  today: (day) => (day === undefined ? 'current_date' : dateLiteral(day)),
}

function double(value: number): string {
  const text = String(value)
  return text.includes('e') ? text : `${text}e0`
}
