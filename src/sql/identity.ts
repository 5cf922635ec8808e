/** What a row is called: its idx, an integer as in the service, or a column of any type that takes its place. */
import { REASONS } from '../engine/judge/problem.ts'
import type { Column } from './columns.ts'
import { type Problems, printError, printMissing } from './messages.ts'
import { type Reader, numberColumn, rawColumn } from './read-field.ts'
import { type Sql, type Stages, sql } from './stages.ts'

export interface IdentityOptions {
  readonly idx: Column | undefined
  readonly id: string | undefined
  readonly position: string | undefined
  readonly isRepeated: string | undefined
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
  const {
    output,
    isGiven,
    text: own,
  } = options.id === undefined ? readIdx(reader, options.idx) : readId(reader, options.id)
  const position =
    options.position === undefined
      ? sql`'null'`
      : sql`CAST(${define('p', sql`${options.position}`)} AS ${dialect.textType})`
  const text = sql`coalesce(${own}, ${position})`
  const isRepeated =
    options.isRepeated === undefined
      ? stages.isRepeated(output, dialect.repeats)
      : define('r', sql`${options.isRepeated}`)
  const reason = (word: string): Sql =>
    printError({ dialect, idx: text }, PLACE, undefined, sql`${dialect.string(word)}`)
  const when = sql`(${output} IS NULL OR ${isRepeated})`
  const problem = sql`CASE WHEN NOT ${isGiven} THEN ${printMissing(dialect, 'idx')} WHEN ${output} IS NULL THEN ${reason(REASONS.notAnInteger)} WHEN ${isRepeated} THEN ${reason(REASONS.duplicate)} ELSE '' END`
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
