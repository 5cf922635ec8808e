/** Scores tables with the engine, record by record: for a model that cannot be said exactly in SQL. */
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Column } from '../../sql/read-field.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { type TableEngine, identifier, literal } from '../../tables/engine.ts'
import type { TempFolder } from '../../tables/open-input.ts'
import { openTable } from '../../tables/open-table.ts'
import { scoreLines } from '../lines/run.ts'
import type { TableOutcome, TableRun } from './table-options.ts'
import { tableSource } from './table-reading.ts'

export async function scoreAsLines(
  run: TableRun,
  engine: TableEngine,
  folder: TempFolder,
): Promise<TableOutcome> {
  if (run.reading.id !== undefined)
    throw new BadFile(
      'this model cannot be said in SQL, so --id cannot be used with it; give an integer --idx',
    )
  const lines = join(folder.path, 'records.ndjson')
  const unknown = new Set<string>()
  let isNumbered = false
  for (const [place, input] of run.inputs.entries()) {
    const table = await openTable(engine, folder, input, run.reading)
    const source = tableSource(table, run.reading, run.catalog.domains)
    for (const name of source.unknown) unknown.add(name)
    isNumbered ||= source.isNumbered
    const members = [
      ...[...source.columns].map(([field, column]) => memberSql(field, field, column)),
      ...run.reading.keep.map((name, index) => memberSql(name, `kept ${index}`, undefined)),
    ]
    const record = `'{' || concat_ws(',', ${members.join(', ')}) || '}'`
    const line = table.refused === undefined ? record : `CASE WHEN "is refused" THEN '0' ELSE ${record} END`
    const part = join(folder.path, `records-${place}.ndjson`)
    await engine.run(`COPY (SELECT ${line} FROM ${source.source}) TO ${literal(part)}
 (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\\x01')`)
    await pipeline(createReadStream(part), createWriteStream(lines, { flags: 'a', mode: 0o600 }))
  }
  const { keep } = run.reading
  const summary = await scoreLines({
    ...run,
    ...{ input: lines, from: 'ndjson', map: new Map(), keep, isNumbered, isResumed: false },
  })
  return { summary, notes: summary.unitDoubts, unknown: [...unknown] }
}

/** A member of a JSON object; null, which is left out, for a value that is absent. */
function memberSql(name: string, column: string, kind: Column | undefined): string {
  const value = identifier(column)
  const label = literal(`${JSON.stringify(name)}:`)
  switch (kind?.type) {
    case 'number':
      // What is not a number must stay a text, which the engine refuses.
      return `${label} || CASE WHEN isfinite(${value}) THEN CAST(to_json(${value}) AS VARCHAR) WHEN ${value} IS NOT NULL THEN '"not a number"' END`
    case 'date':
      return `${label} || '"' || strftime(${value}, '%d-%m-%Y') || '"'`
    case 'cell':
      return `CASE WHEN ${value} <> '' THEN ${label} || ${cellJson(value)} END`
    default:
      return `CASE WHEN ${value} IS NOT NULL THEN ${label} || CAST(to_json(${value}) AS VARCHAR) END`
  }
}

/** Yes-no fields come as the texts true and false, which JSON writes without quotes. */
function cellJson(value: string): string {
  return `CASE WHEN ${value} IN ('true', 'false') THEN ${value} ELSE CAST(to_json(${value}) AS VARCHAR) END`
}
