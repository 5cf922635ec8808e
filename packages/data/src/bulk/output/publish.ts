/** The files of a run that is complete: the results with problems, and all of them, each in the form that was asked for. */
import { EngineError, type TableEngine, identifier, literal } from '../../tables/engine.ts'
import type { WrittenFormat } from '../../tables/formats.ts'
import { CHANGE_COLUMN, type ResultPart, SOURCE_COLUMNS, type ScoreRun } from '../run.ts'
import { WriteError, printFile, writeWhole } from './sink.ts'

export interface Form extends Pick<ScoreRun, 'to' | 'compression'> {
  readonly path: string
  /** Whether only results with problems are written. */
  readonly isErrors: boolean
}

/** `path` is the output, or a temporary file whose content is printed. */
export async function publish(
  { errors, errorsTo, to, compression, output }: ScoreRun,
  path: string,
  write: (form: Form) => Promise<void>,
): Promise<void> {
  if (errors !== undefined && errorsTo !== undefined)
    await write({ path: errors, to: errorsTo, compression: undefined, isErrors: true })
  await write({ path, to, compression, isErrors: false })
  if (output === undefined) await printFile(path)
}

export interface ResultColumns extends Pick<ScoreRun, 'parts' | 'source'> {
  /** The columns that are kept: their names in SQL by those in the file. */
  readonly kept: ReadonlyMap<string, string>
  /** Whether it is told what has happened to each row. */
  readonly hasChange?: boolean
}

/** `from` stands after FROM, with idx, risk, error_message, the parts as JSON, the change, and the columns that are kept. */
export async function copyResults(
  engine: TableEngine,
  from: string,
  { kept, parts, source, hasChange = false }: ResultColumns,
  { path, to, compression, isErrors }: Form,
): Promise<void> {
  const text = to === 'csv' || to === 'tsv' ? withoutFormula : (sql: string): string => sql
  const isJson = to === 'json' || to === 'ndjson'
  const columns = [
    `${text('idx')} AS idx`,
    'risk',
    `CAST(error_message AS ${isJson ? 'JSON' : 'VARCHAR'}) AS error_message`,
    ...parts.flatMap((part) => (isJson ? identifier(part) : tableColumns(part))),
    ...SOURCE_COLUMNS.flatMap((name) => (source === undefined ? [] : `${literal(source[name])} AS ${name}`)),
    ...(hasChange ? [CHANGE_COLUMN] : []),
    ...[...kept].map(([name, column]) => `${text(column)} AS ${identifier(name)}`),
  ]
  const forms: Readonly<Record<WrittenFormat, string>> = {
    parquet: 'FORMAT parquet',
    csv: "FORMAT csv, HEADER, DELIMITER ','",
    tsv: "FORMAT csv, HEADER, DELIMITER '\t'",
    json: 'FORMAT json, ARRAY true',
    ndjson: 'FORMAT json, ARRAY false',
  }
  const packed = compression === undefined || to === 'parquet' ? '' : `, COMPRESSION ${compression}`
  const where = isErrors ? ' WHERE error_message IS NOT NULL' : ''
  const query = `SELECT ${columns.join(', ')} FROM ${from}${where}`
  await writeWhole(path, (temp) =>
    engine.run(`COPY (${query}) TO ${literal(temp)} (${forms[to]}${packed})`).catch((error: unknown) => {
      if (!(error instanceof EngineError) || error.kind !== 'IO') throw error
      throw new WriteError(path, 'there is no room, or no right to write')
    }),
  )
}

/** The columns of a part in a table, which has no lists: notices as a text of codes and fields, a range as its ends. */
export const PART_COLUMNS = {
  notices: {
    notices: `list_aggregate(list_transform(CAST(notices AS JSON[]), lambda each: (each->>'code') || ':' || (each->>'field')), 'string_agg', '; ')`,
  },
  range: {
    range_low: rangeEnd('possible', 0),
    range_high: rangeEnd('possible', 1),
    range_usual_low: rangeEnd('usual', 0),
    range_usual_high: rangeEnd('usual', 1),
    range_decided: `"range"->>'decided'`,
  },
} as const

function rangeEnd(kind: string, end: number): string {
  return `CAST("range"->'${kind}'->>${end} AS DOUBLE)`
}

function tableColumns(part: ResultPart): readonly string[] {
  return Object.entries(PART_COLUMNS[part]).map(([name, sql]) => `${sql} AS ${name}`)
}

/** A text that a spreadsheet would run as a formula gets a leading quote. */
function withoutFormula(sql: string): string {
  const text = `CAST(${sql} AS VARCHAR)`
  const isFormula = `regexp_matches(${text}, '^[=+\\-@\\t\\r]') AND NOT regexp_full_match(${text}, '-?[0-9]+([.][0-9]+)?')`
  return `CASE WHEN ${isFormula} THEN '''' || ${text} ELSE ${text} END`
}
