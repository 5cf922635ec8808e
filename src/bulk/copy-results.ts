/** Results in the form that was asked for, written by the table engine. */
import { EngineError, type TableEngine, identifier, literal } from '../tables/engine.ts'
import { CannotWrite } from './cannot-write.ts'
import type { Compression, WrittenFormat } from './format.ts'

/** A column of the results beside idx, risk and error_message: its expression and its name. */
export interface KeptColumn {
  readonly sql: string
  readonly name: string
}

export interface Copy {
  /** What stands after FROM, with idx, risk and error_message. */
  readonly from: string
  readonly kept: readonly KeptColumn[]
  readonly path: string
  /** As messages name the file. */
  readonly name: string
  readonly to: WrittenFormat
  readonly compression?: Compression | undefined
}

export async function copyResults(engine: TableEngine, copy: Copy): Promise<void> {
  const { from, kept, path, name, to, compression } = copy
  const isDelimited = to === 'csv' || to === 'tsv'
  const isJson = to === 'json' || to === 'ndjson'
  const answer = isJson ? 'CAST(error_message AS JSON)' : 'CAST(error_message AS VARCHAR)'
  const texts = isDelimited ? ['idx', 'risk'].map(withoutFormula) : ['idx', 'risk']
  const columns = [
    `${texts[0] ?? ''} AS idx`,
    'risk',
    `${answer} AS error_message`,
    ...kept.map((each) => `${isDelimited ? withoutFormula(each.sql) : each.sql} AS ${identifier(each.name)}`),
  ]
  const packed = compression === undefined ? [] : [`COMPRESSION ${compression}`]
  const form =
    to === 'parquet'
      ? ['FORMAT parquet']
      : isDelimited
        ? ['FORMAT csv', 'HEADER', `DELIMITER '${to === 'csv' ? ',' : '\t'}'`, ...packed]
        : ['FORMAT json', `ARRAY ${to === 'json'}`, ...packed]
  try {
    await engine.run(
      `COPY (SELECT ${columns.join(', ')} FROM ${from}) TO ${literal(path)} (${form.join(', ')})`,
    )
  } catch (error) {
    if (!(error instanceof EngineError) || error.kind !== 'IO') throw error
    throw new CannotWrite(name, 'there is no room, or no right to write')
  }
}

/** A text that a spreadsheet would run as a formula gets a quote before it. */
function withoutFormula(sql: string): string {
  const text = `CAST(${sql} AS VARCHAR)`
  const isFormula = `regexp_matches(${text}, '^[=+\\-@\\t\\r]') AND NOT regexp_full_match(${text}, '-?[0-9]+([.][0-9]+)?')`
  return `CASE WHEN ${isFormula} THEN '''' || ${text} ELSE ${text} END`
}

/** Rows that were written a line each, as a source for a copy. Kept values are texts, as JSON writes them. */
export function linesSource(path: string, riskIsNumber: boolean, keep: readonly string[]): string {
  const columns = [
    "idx: 'BIGINT'",
    `risk: '${riskIsNumber ? 'DOUBLE' : 'VARCHAR'}'`,
    "error_message: 'JSON'",
    ...keep.map((name) => `${literal(name)}: 'VARCHAR'`),
  ]
  const options = [
    "format = 'newline_delimited'",
    'maximum_object_size = 67108864',
    "compression = 'uncompressed'",
  ]
  return `read_json(${literal(path)}, ${options.join(', ')}, columns = {${columns.join(', ')}})`
}
