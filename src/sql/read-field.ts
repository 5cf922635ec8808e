/** One column becomes a slot: its state and its value, by the rules of the engine's reader. */
import type { Domain } from '../definition/domain.ts'
import type { Conversion } from '../engine/plan.ts'
import { STATE } from '../engine/read/slots.ts'
import type { Column } from './columns.ts'
import type { Dialect } from './dialect.ts'
import { type Slot, permitsNumber } from './slot.ts'
import { type Sql, type Stages, join, sql } from './stages.ts'

/** A number as JSON writes it. */
const JSON_NUMBER = '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?'
const DATE = '[0-9]{2}-[0-9]{2}-[0-9]{4}'

export interface Reader {
  readonly stages: Stages
  readonly dialect: Dialect
  /** The current day as a date in SQL. */
  readonly today: string
}

export function readField(reader: Reader, domain: Domain, column: Column, conversion?: Conversion): Slot {
  switch (domain.kind) {
    case 'integer':
      return readNumber(reader, domain, column, STATE.notAnInteger, conversion)
    case 'decimal':
      return readNumber(reader, domain, column, STATE.notANumber, conversion)
    case 'list':
      return readNumber(
        reader,
        domain,
        column,
        domain.whole ? STATE.notAnInteger : STATE.notANumber,
        conversion,
      )
    case 'code':
      return readChoice(
        reader,
        column,
        column.type === 'cell' || column.type === 'text' ? domain.codes : new Map(),
      )
    case 'yesNo':
      return readYesNo(reader, column)
    case 'date':
      return column.type === 'date' ? readDay(reader, column) : readDateText(reader, column)
  }
}

/** The column itself, and whether it holds a value. */
export function rawColumn(
  { stages, dialect }: Reader,
  column: Column,
): { readonly raw: Sql; readonly isGiven: Sql } {
  const raw = stages.define('c', sql`${dialect.identifier(column.name)}`)
  return { raw, isGiven: column.type === 'cell' ? sql`${raw} <> ''` : sql`${raw} IS NOT NULL` }
}

/** The number that a column holds: NULL where it holds none, NaN among them. */
export function numberColumn({ stages, dialect }: Reader, column: Column, raw: Sql): Sql {
  switch (column.type) {
    case 'integer':
      return stages.define('n', sql`CAST(${raw} AS ${dialect.doubleType})`)
    case 'number':
      return stages.define(
        'n',
        dialect.withoutNaN(stages.define('n', sql`CAST(${raw} AS ${dialect.doubleType})`)),
      )
    case 'decimal':
      // By way of its text: some engines divide a decimal's digits by a power of ten, which may miss the nearest double.
      return stages.define('n', sql`CAST(CAST(${raw} AS ${dialect.textType}) AS ${dialect.doubleType})`)
    case 'cell': {
      const plain =
        dialect.plainInteger === undefined ? undefined : stages.define('i', dialect.plainInteger(raw))
      const any = dialect.numberOf(raw, JSON_NUMBER)
      if (plain === undefined) return stages.define('n', any)
      return stages.define(
        'n',
        sql`CASE WHEN ${plain} IS NOT NULL THEN CAST(${plain} AS ${dialect.doubleType}) ELSE ${any} END`,
      )
    }
    case 'text':
    case 'boolean':
    case 'date':
    case 'other':
      return sql`CAST(NULL AS ${dialect.doubleType})`
  }
}

function readNumber(
  reader: Reader,
  domain: Domain,
  column: Column,
  wrongType: number,
  conversion: Conversion | undefined,
): Slot {
  const { stages, dialect } = reader
  const { raw, isGiven } = rawColumn(reader, column)
  const given = numberColumn(reader, column, raw)
  const value =
    conversion === undefined
      ? given
      : stages.define(
          'n',
          sql`${given} * ${dialect.double(conversion.times)} / ${dialect.double(conversion.per)}`,
        )
  const isWholeType = column.type === 'integer' && conversion === undefined
  const fractions =
    wrongType === STATE.notAnInteger && !isWholeType
      ? sql`${value} IS NULL OR NOT ${dialect.isWhole(value)}`
      : sql`${value} IS NULL`
  const state = stages.define(
    's',
    sql`CASE WHEN ${permitsNumber(dialect, domain, value, isWholeType)} THEN ${STATE.valid} WHEN ${isGiven} THEN CASE WHEN ${fractions} THEN ${wrongType} ELSE ${STATE.outOfRange} END ELSE ${STATE.absent} END`,
  )
  const wrong = isWholeType ? [STATE.outOfRange] : [STATE.outOfRange, wrongType]
  return { state, value, can: new Set([STATE.absent, STATE.valid, ...wrong]) }
}

/** A value that is one of several texts, each with the number that stands for it. */
function readChoice(reader: Reader, column: Column, choices: ReadonlyMap<string, number>): Slot {
  const { stages, dialect } = reader
  const { raw, isGiven } = rawColumn(reader, column)
  const branches = [...choices].map(([text, number]) => sql`WHEN ${dialect.string(text)} THEN ${number}`)
  const value =
    branches.length === 0 ? sql`CAST(NULL AS INTEGER)` : sql`CASE ${raw} ${join(branches, ' ', '')} END`
  return choiceSlot(reader, stages.define('v', value), isGiven)
}

function readYesNo(reader: Reader, column: Column): Slot {
  if (column.type === 'cell')
    return readChoice(
      reader,
      column,
      new Map([
        ['true', 1],
        ['false', 0],
      ]),
    )
  if (column.type !== 'boolean') return readChoice(reader, column, new Map())
  const { raw, isGiven } = rawColumn(reader, column)
  return choiceSlot(
    reader,
    reader.stages.define('v', sql`CASE WHEN ${raw} THEN 1 WHEN NOT ${raw} THEN 0 END`),
    isGiven,
  )
}

function choiceSlot({ stages }: Reader, value: Sql, isGiven: Sql): Slot {
  const state = stages.define(
    's',
    sql`CASE WHEN ${value} IS NOT NULL THEN ${STATE.valid} WHEN ${isGiven} THEN ${STATE.notPermitted} ELSE ${STATE.absent} END`,
  )
  return { state, value, can: new Set([STATE.absent, STATE.valid, STATE.notPermitted]) }
}

const DATE_STATES: ReadonlySet<number> = new Set([
  STATE.absent,
  STATE.valid,
  STATE.notADate,
  STATE.dateInFuture,
])

function readDay(reader: Reader, column: Column): Slot {
  const { stages, dialect, today } = reader
  const day = stages.define('d', sql`CAST(${dialect.identifier(column.name)} AS DATE)`)
  const state = stages.define(
    's',
    sql`CASE WHEN ${day} IS NULL THEN ${STATE.absent} WHEN ${day} > ${today} THEN ${STATE.dateInFuture} WHEN ${day} < DATE '0001-01-01' THEN ${STATE.notADate} ELSE ${STATE.valid} END`,
  )
  return { state, value: dialect.dateText(day), can: DATE_STATES }
}

/** DD-MM-YYYY. The calendar is worked out here: engines differ in the texts that they take for a date. */
function readDateText(reader: Reader, column: Column): Slot {
  const { stages, dialect, today } = reader
  const { raw, isGiven } = rawColumn(reader, column)
  if (column.type !== 'cell' && column.type !== 'text') {
    const state = stages.define(
      's',
      sql`CASE WHEN ${isGiven} THEN ${STATE.notADate} ELSE ${STATE.absent} END`,
    )
    return { state, value: sql`''`, can: new Set([STATE.absent, STATE.notADate]) }
  }
  const part = (from: number, length: number): Sql =>
    stages.define(
      'd',
      sql`CASE WHEN ${dialect.matches(raw, DATE)} THEN CAST(substr(${raw}, ${from}, ${length}) AS INTEGER) END`,
    )
  const [day, month, year] = [part(1, 2), part(4, 2), part(7, 4)]
  const isLeap = sql`(${year} % 4 = 0 AND ${year} % 100 <> 0 OR ${year} % 400 = 0)`
  const days = sql`CASE WHEN ${month} IN (4, 6, 9, 11) THEN 30 WHEN ${month} = 2 THEN CASE WHEN ${isLeap} THEN 29 ELSE 28 END ELSE 31 END`
  const isDay = sql`${year} >= 1 AND ${month} BETWEEN 1 AND 12 AND ${day} >= 1 AND ${day} <= ${days}`
  const number = sql`${year} * 10000 + ${month} * 100 + ${day}`
  const todayNumber = sql`EXTRACT(YEAR FROM ${today}) * 10000 + EXTRACT(MONTH FROM ${today}) * 100 + EXTRACT(DAY FROM ${today})`
  const state = stages.define(
    's',
    sql`CASE WHEN ${isDay} THEN CASE WHEN ${number} > ${todayNumber} THEN ${STATE.dateInFuture} ELSE ${STATE.valid} END WHEN ${isGiven} THEN ${STATE.notADate} ELSE ${STATE.absent} END`,
  )
  return { state, value: raw, can: DATE_STATES }
}
