/** Spark SQL 3.5 and newer. A backslash escapes inside of its texts, and its floor of a double is an integer. */
import type { Dialect } from '../dialect.ts'
import { type Sql, sql } from '../stages.ts'
import { dateLiteral } from './standard.ts'

export const spark: Dialect = {
  name: 'spark',
  identifier: (name) => `\`${name.replaceAll('`', '``')}\``,
  string,
  double,
  textType: 'STRING',
  doubleType: 'DOUBLE',
  stepOpen: '',
  stepClose: '',
  repeats: 'join',
  matches,
  numberOf: (text, pattern) => sql`CASE WHEN ${matches(text, pattern)} THEN TRY_CAST(${text} AS DOUBLE) END`,
  plainInteger: undefined,
  withoutNaN: (value) => sql`CASE WHEN NOT isnan(${value}) THEN ${value} END`,
  isWhole: (value) => sql`rint(${value}) = ${value}`,
  elementAt: (list, position) => sql`get(${list}, CAST(${position} AS INT) - 1)`,
  doubles: (values) => `array(${values.map(double).join(', ')})`,
  integers: (values) => `array(${values.join(', ')})`,
  countNotAbove: undefined,
  withoutControls: (text) => sql`regexp_replace(${text}, '[\\\\p{Cntrl}]', '?')`,
  dateText: (date) => sql`date_format(${date}, 'dd-MM-yyyy')`,
  today: (day) => (day === undefined ? 'current_date()' : dateLiteral(day)),
}

function string(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function double(value: number): string {
  return `${value}D`
}

/** Its `$` also stands before a last line break, so a look ahead says that nothing follows. */
function matches(text: Sql, pattern: string): Sql {
  return sql`${text} RLIKE ${string(`^(${pattern})(?!(?s:.))`)}`
}
