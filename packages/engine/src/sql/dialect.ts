/** What differs between database engines. Everything else is printed once, for all of them. Each dialect here is tested in its engine. */
import { type Sql, sql } from './fragment.ts'

export interface Dialect {
  readonly name: string
  /** A column or table name, quoted so that its case is kept. */
  readonly identifier: (name: string) => string
  readonly string: (text: string) => string
  /** A literal of type double that is exactly this number. */
  readonly double: (value: number) => string
  /** Types that can be NULL, as a cast names them. */
  readonly textType: string
  readonly doubleType: string
  readonly integerType: string
  readonly bigintType: string
  readonly dateType: string
  /** Put around a step so that the engine neither stores it nor copies its expressions into later steps. */
  readonly stepOpen: string
  readonly stepClose: string
  /**
   * How rows with the same idx are found: by IN, which keeps the order of the rows where the engine has one, or by a join, where
   * IN is slow.
   */
  readonly repeats: 'in' | 'join'
  /** Whether a text consists of a pattern from its first to its last character. The pattern uses no backslash. */
  readonly matches: (text: Sql, pattern: string) => Sql
  /**
   * The number that a text writes as JSON does, or NULL. No text is converted before the pattern has accepted it, and no
   * accepted text may end the query: 1e400 is infinite and 1e-400 is 0, as in the service.
   */
  readonly numberOf: (text: Sql, pattern: string) => Sql
  /** A cheaper test that accepts plain integers only: the integer, or NULL. Absent where the pattern is as cheap. */
  readonly plainInteger?: (text: Sql) => Sql
  /** A double as a CASE compares it with numbers. */
  readonly caseKey: (value: Sql) => Sql
  /** The integer that a text of digits writes. */
  readonly digitsOf: (text: Sql) => Sql
  /** A double column without NaN, which stands for a value that is not a number. */
  readonly withoutNaN: (value: Sql) => Sql
  /** NULL in the place of NaN, in an element of a list. */
  readonly nullIfNaN: (value: Sql) => Sql
  readonly isWhole: (value: Sql) => Sql
  /** The element at a position from 1, or NULL outside of the list. The position is an integer or NULL. */
  readonly elementAt: (list: Sql, position: Sql) => Sql
  readonly list: (values: readonly number[], type?: 'integer') => string
  /**
   * Where a list of constants stands: in its place; in a row that is joined, because DuckDB copies a constant list for every two
   * thousand rows; or under a name before the steps, because ClickHouse copies the list of a row for every row.
   */
  readonly lists: 'inline' | 'joined' | 'named'
  /** How many of the ascending numbers a value is not below, where the engine has a binary search. */
  readonly countNotAbove?: (value: Sql, ascending: string) => Sql
  /** The natural logarithm as V8 rounds it. No engine has it; `score` brings its own to DuckDB. */
  readonly logarithm?: (value: Sql) => Sql
  /** The points of the trees in this place among a model's terms, for the values of their fields. Only `score` brings them. */
  readonly trees?: (place: number, values: readonly Sql[]) => Sql
  /** A text with a question mark in the place of every control character, which JSON does not allow. */
  readonly withoutControls: (text: Sql) => Sql
  /** The text of a double with at most six decimals, as messages write it. */
  readonly figureText: (figure: Sql) => Sql
  /** A text of one backslash. */
  readonly backslash: string
  /** The day that is written YYYY-MM-DD. */
  readonly date: (day: string) => string
  /** A calendar day as DD-MM-YYYY. */
  readonly dateText: (date: Sql) => Sql
  readonly currentDay: string
  /** What follows the statement: settings that it needs. */
  readonly settings?: string
}

/** Literals and functions as standard SQL has them. */
const STANDARD = {
  identifier: (name: string): string => `"${name.replaceAll('"', '""')}"`,
  string: singleQuoted,
  integerType: 'INTEGER',
  bigintType: 'BIGINT',
  dateType: 'DATE',
  stepOpen: 'NOT MATERIALIZED ',
  stepClose: '',
  lists: 'inline',
  caseKey: (value: Sql) => value,
  digitsOf: (text: Sql) => sql`CAST(${text} AS INTEGER)`,
  withoutNaN: (value: Sql) => sql`CASE WHEN NOT isnan(${value}) THEN ${value} END`,
  isWhole: (value: Sql) => sql`floor(${value}) = ${value}`,
  withoutControls: (text: Sql) => sql`regexp_replace(${text}, '[[:cntrl:]]', '?', 'g')`,
  backslash: 'chr(92)',
  date: (day: string) => `DATE '${day}'`,
  currentDay: 'current_date',
} as const

/** What follows from the names of a dialect's types. */
function byTypes({ textType, doubleType }: Pick<Dialect, 'textType' | 'doubleType'>) {
  return {
    textType,
    doubleType,
    nullIfNaN: (value: Sql) => sql`nullif(${value}, CAST('NaN' AS ${doubleType}))`,
    // Engines print 12.0 for a double, where the message says 12.
    figureText: (figure: Sql) => {
      const decimal = sql`CAST(CAST(${figure} AS DECIMAL(18, 6)) AS ${textType})`
      return sql`trim(TRAILING '.' FROM trim(TRAILING '0' FROM ${decimal}))`
    },
  }
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Infinity, −Infinity and NaN, which have no literal in DuckDB and Spark. An edge of a tree may be the first number after the largest. */
function specialDouble(value: number): string {
  return `CAST('${value}' AS DOUBLE)`
}

/** Literals with a decimal point are DECIMAL there, so doubles are written with an exponent. */
function duckDouble(value: number): string {
  if (!Number.isFinite(value)) return specialDouble(value)
  return String(value).includes('e') ? String(value) : `${value}e0`
}

const duckMatches = (text: Sql, pattern: string): Sql =>
  sql`regexp_full_match(${text}, ${singleQuoted(pattern)})`

export const duckdb: Dialect = {
  ...STANDARD,
  name: 'duckdb',
  double: duckDouble,
  ...byTypes({ textType: 'VARCHAR', doubleType: 'DOUBLE' }),
  repeats: 'in',
  lists: 'joined',
  matches: duckMatches,
  numberOf: (text, pattern) => sql`CASE WHEN ${duckMatches(text, pattern)} THEN CAST(${text} AS DOUBLE) END`,
  // A text that the engine prints again letter by letter is a plain integer, whatever else its cast accepts.
  plainInteger: (text) =>
    sql`CASE WHEN CAST(TRY_CAST(${text} AS INTEGER) AS VARCHAR) = ${text} THEN TRY_CAST(${text} AS INTEGER) END`,
  elementAt: (list, position) => sql`list_extract(${list}, ${position})`,
  // One text is planned five times as fast as an expression for each of its numbers.
  list: (values, type) => `CAST('[${values.join(',')}]' AS ${type ? 'INTEGER' : 'DOUBLE'}[])`,
  dateText: (date) => sql`strftime(${date}, '%d-%m-%Y')`,
}

/** Numbers of moderate size, which are nearly all. */
const MODERATE = '^-?[0-9]{1,40}([.][0-9]{1,40})?([eE]([+]?[0-9]{1,2}|-[0-9]))?$'
/** Longer texts are not numbers in PostgreSQL, because NUMERIC cannot hold all of them. */
const LONGEST = 5_000
/** Halfway between the largest double and the next power of two, and half of the smallest one. */
const INFINITE_FROM = '1.797693134862315807e308'
const ZERO_TO = '2.4703282292062327e-324'
/** PostgreSQL ends a query whose product underflows. No answer depends on how small a number is below this one. */
const SMALLEST = '1e-100'

const postgresMatches = (text: Sql, pattern: string): Sql => sql`${text} ~ ${singleQuoted(`^(${pattern})$`)}`
const signed = (text: Sql, number: string): Sql =>
  sql`CASE WHEN ${text} LIKE '-%' THEN float8 '-${number}' ELSE float8 '${number}' END`

/** PostgreSQL 14 and newer. A conversion that overflows ends the query there, so unusual numbers go through NUMERIC. */
export const postgres: Dialect = {
  ...STANDARD,
  name: 'postgres',
  double: (value) => `float8 '${value}'`,
  ...byTypes({ textType: 'text', doubleType: 'float8' }),
  // Without OFFSET 0 the planner copies every expression into each place that uses it.
  stepClose: ' OFFSET 0',
  repeats: 'join',
  matches: postgresMatches,
  numberOf: (text, pattern) => sql`CASE
      WHEN NOT ${postgresMatches(text, pattern)} THEN NULL
      WHEN ${text} ~ ${singleQuoted(MODERATE)} THEN CAST(${text} AS float8)
      WHEN length(${text}) > ${LONGEST} THEN NULL
      WHEN NOT ${text} ~ '^[^eE]*[1-9]' OR ${text} ~ '[eE]-0*[1-9][0-9]{4}' THEN 0
      WHEN ${text} ~ '[eE][+]?0*[1-9][0-9]{4}' THEN ${signed(text, 'Infinity')}
      WHEN abs(CAST(${text} AS numeric)) >= ${INFINITE_FROM} THEN ${signed(text, 'Infinity')}
      WHEN abs(CAST(${text} AS numeric)) <= ${ZERO_TO} THEN 0
      WHEN abs(CAST(${text} AS numeric)) < ${SMALLEST} THEN ${signed(text, SMALLEST)}
      ELSE CAST(${text} AS float8) END`,
  withoutNaN: (value) => sql`CASE
      WHEN ${value} = 'NaN' THEN NULL
      WHEN ${value} = 0 OR abs(${value}) >= ${SMALLEST} THEN ${value}
      ELSE sign(${value}) * ${SMALLEST} END`,
  elementAt: (list, position) => sql`(${list})[${position}]`,
  list: (values, type) => `'{${values.join(',')}}'::${type ? 'int' : 'float8'}[]`,
  countNotAbove: (value, ascending) => sql`width_bucket(${value}, ${ascending})`,
  dateText: (date) => sql`to_char(${date}, 'DD-MM-YYYY')`,
}

function sparkDouble(value: number): string {
  return Number.isFinite(value) ? `${value}D` : specialDouble(value)
}

const sparkString = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
/** Its `$` also matches before a final line break, so a look-ahead ensures that nothing follows. */
const sparkMatches = (text: Sql, pattern: string): Sql =>
  sql`${text} RLIKE ${sparkString(`^(${pattern})(?!(?s:.))`)}`

/** Spark SQL 3.5 and newer. A backslash escapes inside of its texts, and its floor of a double is an integer. */
export const spark: Dialect = {
  ...STANDARD,
  name: 'spark',
  identifier: (name) => `\`${name.replaceAll('`', '``')}\``,
  string: sparkString,
  double: sparkDouble,
  ...byTypes({ textType: 'STRING', doubleType: 'DOUBLE' }),
  stepOpen: '',
  repeats: 'join',
  matches: sparkMatches,
  numberOf: (text, pattern) =>
    sql`CASE WHEN ${sparkMatches(text, pattern)} THEN TRY_CAST(${text} AS DOUBLE) END`,
  isWhole: (value) => sql`rint(${value}) = ${value}`,
  elementAt: (list, position) => sql`get(${list}, CAST(${position} AS INT) - 1)`,
  list: (values, type) => `array(${values.map(type ? String : sparkDouble).join(', ')})`,
  withoutControls: (text) => sql`regexp_replace(${text}, '[\\\\p{Cntrl}]', '?')`,
  dateText: (date) => sql`date_format(${date}, 'dd-MM-yyyy')`,
  currentDay: 'current_date()',
}

const clickhouseString = (text: string): string => sparkString(text)
/** A literal with a decimal point is a double there. */
function clickhouseDouble(value: number): string {
  if (!Number.isFinite(value)) return `CAST('${value}' AS Float64)`
  return String(value).includes('.') ? String(value) : duckDouble(value)
}

const clickhouseMatches = (text: Sql, pattern: string): Sql =>
  sql`match(${text}, ${clickhouseString(`^(${pattern})$`)})`

/**
 * ClickHouse. Types are not NULL there unless they say so, and a backslash escapes inside of texts and names. A query has by
 * default 262,144 bytes and 50,000 elements at most, which a model with a curve or with trees exceeds.
 */
export const clickhouse: Dialect = {
  ...STANDARD,
  name: 'clickhouse',
  identifier: (name) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``,
  string: clickhouseString,
  double: clickhouseDouble,
  textType: 'Nullable(String)',
  doubleType: 'Nullable(Float64)',
  integerType: 'Nullable(Int32)',
  bigintType: 'Nullable(Int64)',
  dateType: 'Nullable(Date32)',
  stepOpen: '',
  repeats: 'in',
  lists: 'named',
  matches: clickhouseMatches,
  numberOf: (text, pattern) =>
    sql`CASE WHEN ${clickhouseMatches(text, pattern)} THEN toFloat64OrNull(${text}) END`,
  // A CASE compares bits there, so that −0 would not be 0. The sum of both is 0.
  caseKey: (value) => sql`${value} + 0e0`,
  digitsOf: (text) => sql`toInt32OrNull(${text})`,
  withoutNaN: (value) => sql`CASE WHEN NOT isNaN(${value}) THEN ${value} END`,
  nullIfNaN: (value) => sql`if(isNaN(${value}), NULL, ${value})`,
  elementAt: (list, position) => sql`arrayElementOrNull(${list}, ${position})`,
  list: (values, type) => `[${values.map(type ? String : clickhouseDouble).join(',')}]`,
  withoutControls: (text) => sql`replaceRegexpAll(${text}, '[[:cntrl:]]', '?')`,
  figureText: (figure) => sql`toString(${figure})`,
  backslash: 'char(92)',
  date: (day) => `toDate32('${day}')`,
  dateText: (date) => sql`formatDateTime(${date}, '%d-%m-%Y')`,
  currentDay: 'toDate32(today())',
  settings:
    'SETTINGS max_query_size = 10000000, max_ast_elements = 1000000, max_expanded_ast_elements = 10000000',
}

export const DIALECTS: readonly Dialect[] = [duckdb, postgres, spark, clickhouse]
