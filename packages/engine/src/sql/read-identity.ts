/** The identity of a row: its idx, an integer as in the service, or a column of any type instead. */
import { REASONS } from '../judge/problem.ts'
import { FALSE, type Sql, TRUE, and, not, or, sql, when } from './fragment.ts'
import { type Problems, printError, printMissing } from './messages.ts'
import type { Query } from './query.ts'
import { type Column, type Columns, numberColumn, rawColumn } from './read-field.ts'

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
  readonly isRepeated?: string | undefined
}

export interface Identity extends Pick<Named, 'output' | 'text'> {
  readonly problems: Problems
}

interface Named {
  /** The idx as it is answered; NULL where it is not usable. */
  readonly output: Sql
  readonly isGiven: Sql
  /** As messages name the row. NULL where the idx is not usable. */
  readonly text: Sql
}

const PLACE = { field: 'idx', item: 'Idx' }

export function readIdentity(
  query: Query,
  { columns, id, position, isRepeated: given }: IdentityOptions,
): Identity {
  const { define, dialect } = query
  const { output, isGiven, ...own } =
    id === undefined ? readIdx(query, columns.get('idx')) : readId(query, id)
  const place =
    position === undefined ? sql`'null'` : sql`CAST(${define('p', sql`${position}`)} AS ${dialect.textType})`
  const text = sql`coalesce(${own.text}, ${place})`
  const isRepeated = given === undefined ? query.isRepeated(output) : define('r', sql`${given}`)
  const reason = (word: string): Sql => printError({ query, idx: text }, PLACE, sql`${dialect.string(word)}`)
  const isUnusable = sql`${output} IS NULL`
  const isWrong = or(isUnusable, isRepeated)
  const duplicate = when(isRepeated, reason(REASONS.duplicate), "''")
  const unusable = when(isUnusable, reason(REASONS.notAnInteger), duplicate)
  const problem = when(not(isGiven), printMissing(dialect, 'idx'), unusable)
  return { output, text, problems: { exists: isWrong, blocks: isWrong, text: problem } }
}

function readIdx(query: Query, column: Column | undefined): Named {
  const { define, dialect } = query
  if (column === undefined) {
    const output = define('idx', sql`CAST(NULL AS ${dialect.bigintType})`)
    return { output, isGiven: FALSE, text: sql`CAST(NULL AS ${dialect.textType})` }
  }
  const { raw, isGiven } = rawColumn(query, column)
  const { MAX_SAFE_INTEGER: most } = Number
  const isInteger = column.type === 'integer'
  const number = isInteger ? raw : numberColumn(query, column, raw)
  const isIdx = and(sql`${number} BETWEEN -${most} AND ${most}`, isInteger ? TRUE : dialect.isWhole(number))
  const output = define('idx', when(isIdx, sql`CAST(${number} AS ${dialect.bigintType})`))
  const text = sql`CAST(${output} AS ${dialect.textType})`
  return { output, isGiven: sql`coalesce(${isGiven}, FALSE)`, text }
}

/** An identifier of any type. An empty text is not an identifier. Its text is escaped, because it becomes part of JSON. */
function readId({ define, dialect }: Query, name: string): Named {
  const raw = sql`${dialect.identifier(name)}`
  const plain = sql`CAST(${raw} AS ${dialect.textType})`
  const output = define('idx', when(sql`${plain} <> ''`, raw))
  const slash = dialect.backslash
  const quoted = sql`replace(replace(CAST(${output} AS ${dialect.textType}), ${slash}, ${slash} || ${slash}), '"', ${slash} || '"')`
  return { output, isGiven: sql`${output} IS NOT NULL`, text: dialect.withoutControls(quoted) }
}
