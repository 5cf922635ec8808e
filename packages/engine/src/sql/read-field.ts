/** One column becomes a slot: its state and its value, by the rules of the engine's reader. */
import { type Domain, permitsNode } from '../definition/domain.ts'
import { value } from '../expression/build.ts'
import type { ReceivedCodes } from '../plan/codes.ts'
import type { Conversion, FieldPlan } from '../plan/plan.ts'
import { EARLIEST_DATE } from '../read/calendar.ts'
import { STATE } from '../plan/slots.ts'
import type { Dialect } from './dialect.ts'
import { Printer } from './print-expression.ts'
import type { Slot } from './slot.ts'
import { FALSE, type Sql, cases, join, not, or, sql, when } from './fragment.ts'
import type { Query } from './query.ts'

/** A number as JSON writes it. */
const JSON_NUMBER = '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?'
const DATE = '[0-9]{2}-[0-9]{2}-[0-9]{4}'
const { absent, valid, outOfRange, notAnInteger, notANumber, notPermitted, notADate, dateInFuture } = STATE
const DATE_STATES: ReadonlySet<number> = new Set([absent, valid, outOfRange, notADate, dateInFuture])

/** A value as SQL writes it, and the number that stands for it. */
type Choice = readonly [string, number]
const TRUE_FALSE: readonly Choice[] = Object.entries({ true: 1, false: 0 })

/**
 * What a column holds. `cell` is a text that stands for any value, as in CSV: an empty one is absent, and a number is written
 * as in JSON. All others are typed values: a `text` is never a number.
 */
export type ColumnType = 'cell' | 'text' | 'integer' | 'number' | 'decimal' | 'boolean' | 'date' | 'other'

export interface Column {
  /** The name in the table. */
  readonly name: string
  readonly type: ColumnType
}

/** Columns by the name of the field that they hold; `idx` among them. */
export type Columns = ReadonlyMap<string, Column>

/** The query that reads a field; the columns that it defines are named after the field. */
export interface Reader extends Pick<Query, 'define' | 'dialect' | 'today'> {
  readonly query: Query
}

type ColumnReader = Pick<Query, 'define' | 'dialect'>

type ReadField = Pick<FieldPlan, 'domain' | 'conversion' | 'received'>

export function readField(reader: Reader, field: ReadField, column: Column): Slot {
  const { domain, conversion, received } = field
  const { type } = column
  if (received !== undefined) return readReceived(reader, column, received)
  const quoted = (choices: readonly Choice[]): readonly Choice[] =>
    choices.map(([text, number]) => [reader.dialect.string(text), number])
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
    case 'list':
      return readNumber(reader, domain, column, conversion)
    case 'code':
      return readChoice(reader, column, type === 'cell' || type === 'text' ? quoted([...domain.codes]) : [])
    case 'yesNo': {
      const words = type === 'boolean' ? TRUE_FALSE : []
      return readChoice(reader, column, type === 'cell' ? quoted(TRUE_FALSE) : words)
    }
    case 'date':
      return type === 'date' ? readDay(reader, column) : readDateText(reader, column)
  }
}

export function rawColumn(
  reader: ColumnReader,
  column: Column,
): { readonly raw: Sql; readonly isGiven: Sql } {
  const raw = reader.define('c', sql`${reader.dialect.identifier(column.name)}`)
  return { raw, isGiven: column.type === 'cell' ? sql`${raw} <> ''` : sql`${raw} IS NOT NULL` }
}

/** The number that a column holds: NULL where it holds none, and for NaN. */
export function numberColumn({ define, dialect }: ColumnReader, column: Column, raw: Sql): Sql {
  const { textType, doubleType } = dialect
  const cast = sql`CAST(${raw} AS ${doubleType})`
  switch (column.type) {
    case 'integer':
      return define('n', cast)
    case 'number':
      return define('n', dialect.withoutNaN(define('n', cast)))
    // A decimal by way of its text: some engines divide its digits by a power of ten, which may miss the nearest double.
    case 'decimal':
      return define('n', dialect.numberOf(define('c', sql`CAST(${raw} AS ${textType})`), JSON_NUMBER))
    case 'cell': {
      const any = dialect.numberOf(raw, JSON_NUMBER)
      if (dialect.plainInteger === undefined) return define('n', any)
      const plain = define('i', dialect.plainInteger(raw))
      return define('n', when(sql`${plain} IS NOT NULL`, sql`CAST(${plain} AS ${doubleType})`, any))
    }
    default:
      return sql`CAST(NULL AS ${doubleType})`
  }
}

function readNumber(reader: Reader, domain: Domain, column: Column, conversion?: Conversion): Slot {
  const { define, dialect } = reader
  const isInteger = domain.kind === 'integer' || (domain.kind === 'list' && domain.whole)
  const wrongType = isInteger ? notAnInteger : notANumber
  const { raw, isGiven } = rawColumn(reader, column)
  const given = numberColumn(reader, column, raw)
  const own = conversion === undefined ? given : define('n', converted(dialect, given, conversion))
  const isWhole = column.type === 'integer' && conversion === undefined
  const permits = printPermits(reader.query, isWhole ? withoutWhole(domain) : domain, own)
  const isFraction = isInteger && !isWhole ? not(dialect.isWhole(own)) : FALSE
  const wrong = when(or(sql`${own} IS NULL`, isFraction), wrongType, outOfRange)
  const state = define('s', when(permits, valid, when(isGiven, wrong, absent)))
  return {
    state,
    value: own,
    possible: new Set([absent, valid, outOfRange, ...(isWhole ? [] : [wrongType])]),
  }
}

/** Whether a number is one of the domain's. Nothing of it is a column: an overflow in one would end the query in some engines. */
function printPermits(query: Query, domain: Domain, number: Sql): Sql {
  const slots = [{ value: number, state: sql`${absent}`, possible: new Set([absent]) }]
  return new Printer(query, slots).condition(permitsNode(domain, value(0)))
}

/** A range of whole numbers, for a column that holds no others. */
function withoutWhole(domain: Domain): Domain {
  return domain.kind === 'integer' ? { kind: 'decimal', from: domain.from, to: domain.to } : domain
}

/** Numbers that are beyond every range stay as they are: their product may overflow, which ends the query in some engines. */
function converted({ double }: Dialect, given: Sql, { times, per }: Conversion): Sql {
  return when(sql`abs(${given}) < ${double(1e290)}`, sql`${given} * ${double(times)} / ${double(per)}`, given)
}

function readChoice(reader: Reader, column: Column, choices: readonly Choice[]): Slot {
  const { define } = reader
  const { raw, isGiven } = rawColumn(reader, column)
  const chosen = define('v', cases(choices, `CAST(NULL AS ${reader.dialect.integerType})`, raw))
  const otherwise = when(isGiven, notPermitted, absent)
  const state = define('s', when(sql`${chosen} IS NOT NULL`, valid, otherwise))
  return { state, value: chosen, possible: new Set([absent, valid, notPermitted]) }
}

/** In place of a number: a code that stands for no value, and one for a value that the model does not permit. */
const NO_VALUE = -1
const NOT_FOR_MODEL = -2

/** A column whose codes a mapping names. A text is compared with the code, a number with the code that is its shortest text. */
function readReceived(reader: Reader, column: Column, { named, plain }: ReceivedCodes): Slot {
  const { define, dialect } = reader
  const { type } = column
  const { raw, isGiven } = rawColumn(reader, column)
  const isText = type === 'cell' || type === 'text'
  const isNumber = type === 'integer' || type === 'number' || type === 'decimal'
  const codes = [...named].map(([code, meaning]) => {
    return [code, meaning === null ? NO_VALUE : (meaning ?? NOT_FOR_MODEL)] as const
  })
  const words = [...plain].flatMap(([value, number]): readonly Choice[] => {
    if (typeof value === 'string') return isText ? [[dialect.string(value), number]] : []
    if (type === 'boolean') return [[String(value), number]]
    return type === 'cell' ? [[dialect.string(String(value)), number]] : []
  })
  const texts = isText ? codes.map(([code, number]): Choice => [dialect.string(code), number]) : []
  const numbers = codes
    .filter(([code]) => isNumber && Number.isFinite(Number(code)) && String(Number(code)) === code)
    .map(([code, number]): Choice => [dialect.double(Number(code)), number])
  const none = `CAST(NULL AS ${dialect.integerType})`
  // ClickHouse compares bits, and −0 + 0 is 0.
  const chosen = define(
    'v',
    isNumber
      ? cases(numbers, none, sql`(${numberColumn(reader, column, raw)} + 0)`)
      : cases([...texts, ...words], none, raw),
  )
  const otherwise = when(sql`${chosen} = ${NO_VALUE}`, absent, when(isGiven, notPermitted, absent))
  const state = define('s', when(sql`${chosen} >= 0`, valid, otherwise))
  const held = define('v', when(sql`${chosen} >= 0`, chosen, none))
  return { state, value: held, possible: new Set([absent, valid, notPermitted]) }
}

function readDay({ define, dialect, today }: Reader, column: Column): Slot {
  const day = define('d', sql`CAST(${dialect.identifier(column.name)} AS ${dialect.dateType})`)
  const earliest = EARLIEST_DATE.toString().replace(/^(....)(..)(..)$/, '$1-$2-$3')
  const early = when(sql`${day} < ${dialect.date('0001-01-01')}`, notADate, outOfRange)
  const known = when(sql`${day} < ${dialect.date(earliest)}`, early, valid)
  const state = when(sql`${day} IS NULL`, absent, when(sql`${day} > ${today}`, dateInFuture, known))
  const parts = [sql`EXTRACT(YEAR FROM ${day}) * 10000`, sql`EXTRACT(MONTH FROM ${day}) * 100`]
  const number = sql`CAST(${join([...parts, sql`EXTRACT(DAY FROM ${day})`], ' + ')} AS ${dialect.doubleType})`
  return {
    state: define('s', state),
    value: define('d', number),
    text: dialect.dateText(day),
    possible: DATE_STATES,
  }
}

/** DD-MM-YYYY. The calendar is computed here: engines differ in the texts that they take for a date. */
function readDateText(reader: Reader, column: Column): Slot {
  const { define, dialect, today } = reader
  const { raw, isGiven } = rawColumn(reader, column)
  if (column.type !== 'cell' && column.type !== 'text') {
    const state = define('s', when(isGiven, notADate, absent))
    return { state, value: sql`NULL`, text: sql`''`, possible: new Set([absent, notADate]) }
  }
  const isWritten = define('q', dialect.matches(raw, DATE))
  const part = (from: number, length: number): Sql =>
    define('d', when(isWritten, dialect.digitsOf(sql`substr(${raw}, ${from}, ${length})`)))
  const day = part(1, 2)
  const month = part(4, 2)
  const year = part(7, 4)
  const isLeap = sql`${year} % 4 = 0 AND ${year} % 100 <> 0 OR ${year} % 400 = 0`
  const longer = when(sql`${month} IN (4, 6, 9, 11)`, 30, 31)
  const days = when(sql`${month} = 2`, when(isLeap, 29, 28), longer)
  const isDay = sql`${year} >= 1 AND ${month} BETWEEN 1 AND 12 AND ${day} BETWEEN 1 AND ${days}`
  const now = sql`EXTRACT(YEAR FROM ${today}) * 10000 + EXTRACT(MONTH FROM ${today}) * 100 + EXTRACT(DAY FROM ${today})`
  const date = define('d', sql`${year} * 10000 + ${month} * 100 + ${day}`)
  const known = when(
    sql`${date} > ${now}`,
    dateInFuture,
    when(sql`${date} < ${EARLIEST_DATE}`, outOfRange, valid),
  )
  const state = when(isDay, known, when(isGiven, notADate, absent))
  return { state: define('s', state), value: date, text: raw, possible: DATE_STATES }
}
