/** PostgreSQL 14 and newer. A conversion that overflows ends the query there, so odd numbers go through NUMERIC. */
import type { Dialect } from '../dialect.ts'
import { type Sql, sql } from '../stages.ts'
import { dateLiteral, doubleQuoted, singleQuoted } from './standard.ts'

/** Numbers of moderate size, which are nearly all. */
const MODERATE = '^-?[0-9]{1,40}([.][0-9]{1,40})?([eE]([+]?[0-9]{1,2}|-[0-9]))?$'
/** Longer texts are no numbers here; NUMERIC could not hold all of them. */
const LONGEST = 5_000
/** Halfway between the largest double and the next power of two, and half of the smallest one. */
const INFINITE_FROM = '1.797693134862315807e308'
const ZERO_TO = '2.4703282292062327e-324'
/** The engine ends a query whose product underflows. No answer depends on how small a number is below this one. */
const SMALLEST = '1e-100'

export const postgres: Dialect = {
  name: 'postgres',
  identifier: doubleQuoted,
  string: singleQuoted,
  double,
  textType: 'text',
  doubleType: 'float8',
  // Without OFFSET 0 the planner copies every expression into each place that uses it.
  stepOpen: 'NOT MATERIALIZED ',
  stepClose: ' OFFSET 0',
  repeats: 'join',
  matches,
  numberOf: (text, pattern) => sql`CASE
      WHEN NOT ${matches(text, pattern)} THEN NULL
      WHEN ${text} ~ ${singleQuoted(MODERATE)} THEN CAST(${text} AS float8)
      WHEN length(${text}) > ${LONGEST} THEN NULL
      WHEN NOT ${text} ~ '^[^eE]*[1-9]' OR ${text} ~ '[eE]-0*[1-9][0-9]{4}' THEN 0
      WHEN ${text} ~ '[eE][+]?0*[1-9][0-9]{4}' THEN ${signed(text, 'Infinity')}
      WHEN abs(CAST(${text} AS numeric)) >= ${INFINITE_FROM} THEN ${signed(text, 'Infinity')}
      WHEN abs(CAST(${text} AS numeric)) <= ${ZERO_TO} THEN 0
      WHEN abs(CAST(${text} AS numeric)) < ${SMALLEST} THEN ${signed(text, SMALLEST)}
      ELSE CAST(${text} AS float8) END`,
  plainInteger: undefined,
  withoutNaN: (value) => sql`CASE
      WHEN ${value} = 'NaN' THEN NULL
      WHEN ${value} = 0 OR abs(${value}) >= ${SMALLEST} THEN ${value}
      ELSE sign(${value}) * ${SMALLEST} END`,
  isWhole: (value) => sql`floor(${value}) = ${value}`,
  elementAt: (list, position) => sql`(${list})[${position}]`,
  doubles: (values) => `'{${values.join(',')}}'::float8[]`,
  integers: (values) => `'{${values.join(',')}}'::int[]`,
  countNotAbove: (value, ascending) => sql`width_bucket(${value}, ${ascending})`,
  withoutControls: (text) => sql`regexp_replace(${text}, '[[:cntrl:]]', '?', 'g')`,
  dateText: (date) => sql`to_char(${date}, 'DD-MM-YYYY')`,
  today: (day) => (day === undefined ? 'current_date' : dateLiteral(day)),
}

function double(value: number): string {
  return `float8 '${value}'`
}

function matches(text: Sql, pattern: string): Sql {
  return sql`${text} ~ ${singleQuoted(`^(${pattern})$`)}`
}

function signed(text: Sql, number: string): Sql {
  return sql`CASE WHEN ${text} LIKE '-%' THEN float8 '-${number}' ELSE float8 '${number}' END`
}
