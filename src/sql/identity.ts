/** What a row is called: its idx, an integer as in the service, or a column of any type that takes its place. */
import { REASONS } from '../engine/judge/problem.ts'
import { type Problems, printError, printMissing } from './messages.ts'
import { type Column, type Columns, type Reader, numberColumn, rawColumn } from './read-field.ts'
import { type Sql, type Stages, cases, sql } from './stages.ts'

export interface IdentityOptions {
  /** The columns of the source, by the field that each one holds; `idx` among them unless `id` is given. */
  readonly columns: Columns
  /** A column of any type that takes the place of the idx in the output, in the messages and in the check for repeats. */
  readonly id?: string | undefined
  /** An expression for a row's position from 0, which messages name where a row has no usable idx. */
  readonly position?: string
  /**
   * How rows with the same idx are found: by the query itself, or by a condition of the caller's, which may use the columns of
   * the source. `FALSE` where no two rows can have the same idx.
   */
  readonly isRepeated?: string
}

export interface Identity {
  readonly output: Sql
  /** As messages name the row. */
  readonly text: Sql
  readonly problems: readonly Problems[]
}

const PLACE = { field: 'idx', item: 'Idx' }

export function readIdentity(reader: Reader, stages: Stages, options: IdentityOptions): Identity {
  const { define, dialect } = reader
  const { columns, id, position, isRepeated: given } = options
  const row = id === undefined ? readIdx(reader, columns.get('idx')) : readId(reader, id)
  const { output, isGiven } = row
  const place =
    position === undefined ? sql`'null'` : sql`CAST(${define('p', sql`${position}`)} AS ${dialect.textType})`
  const text = sql`coalesce(${row.text}, ${place})`
  const isRepeated =
    given === undefined ? stages.isRepeated(output, dialect.repeats) : define('r', sql`${given}`)
  const reason = (word: string): Sql =>
    printError({ dialect, idx: text }, PLACE, undefined, sql`${dialect.string(word)}`)
  const when = sql`(${output} IS NULL OR ${isRepeated})`
  const problem = cases(
    [
      [sql`NOT ${isGiven}`, printMissing(dialect, 'idx')],
      [sql`${output} IS NULL`, reason(REASONS.notAnInteger)],
      [isRepeated, reason(REASONS.duplicate)],
    ],
    "''",
  )
  return { output, text, problems: [{ when, blocks: when, text: problem }] }
}

interface Named {
  /** The idx as it is answered; NULL where it is not usable. */
  readonly output: Sql
  readonly isGiven: Sql
  /** NULL where it is not usable. */
  readonly text: Sql
}

function readIdx(reader: Reader, column: Column | undefined): Named {
  const { define, dialect } = reader
  if (column === undefined) {
    const output = define('idx', sql`CAST(NULL AS BIGINT)`)
    return { output, isGiven: sql`FALSE`, text: sql`CAST(NULL AS ${dialect.textType})` }
  }
  const { raw, isGiven } = rawColumn(reader, column)
  const { MAX_SAFE_INTEGER: most } = Number
  const number = column.type === 'integer' ? raw : numberColumn(reader, column, raw)
  const isWhole = column.type === 'integer' ? '' : sql` AND ${dialect.isWhole(number)}`
  const output = define(
    'idx',
    sql`CASE WHEN ${number} BETWEEN -${most} AND ${most}${isWhole} THEN CAST(${number} AS BIGINT) END`,
  )
  return {
    output,
    isGiven: sql`coalesce(${isGiven}, FALSE)`,
    text: sql`CAST(${output} AS ${dialect.textType})`,
  }
}

/** An identifier of any type. An empty text is no identifier. Its text is written as JSON, for it stands in a JSON text. */
function readId({ define, dialect }: Reader, name: string): Named {
  const raw = sql`${dialect.identifier(name)}`
  const plain = sql`CAST(${raw} AS ${dialect.textType})`
  const output = define('idx', sql`CASE WHEN ${plain} <> '' THEN ${raw} END`)
  const slash = 'chr(92)'
  const quoted = sql`replace(replace(CAST(${output} AS ${dialect.textType}), ${slash}, ${slash} || ${slash}), '"', ${slash} || '"')`
  return { output, isGiven: sql`${output} IS NOT NULL`, text: dialect.withoutControls(quoted) }
}
