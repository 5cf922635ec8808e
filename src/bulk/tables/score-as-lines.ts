/** Scores tables with the engine, record by record: for a model that cannot be said exactly in SQL. */
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Column, ColumnType } from '../../sql/read-field.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { type TableEngine, identifier, literal } from '../../tables/engine.ts'
import type { TempFolder } from '../../tables/open-input.ts'
import { openTable } from '../../tables/open-table.ts'
import { scoreLines } from '../lines/score-lines.ts'
import type { Outcome, ScoreRun, TableInput } from '../run.ts'
import { tableSource } from './table-reading.ts'

export async function scoreAsLines(run: ScoreRun, engine: TableEngine, folder: TempFolder): Promise<Outcome> {
  const { reading } = run
  if (reading.id !== undefined)
    throw new BadFile(
      'this model cannot be said in SQL, so --id cannot be used with it; give an integer --idx',
    )
  const lines = join(folder.path, 'records.ndjson')
  const unknown = new Set<string>()
  let isNumbered = false
  for (const [place, input] of (run.inputs as readonly TableInput[]).entries()) {
    const table = await openTable(engine, folder, input, reading)
    const source = tableSource(table, reading, run.catalog.domains)
    for (const name of source.unknown) unknown.add(name)
    isNumbered ||= source.isNumbered
    const members = [
      ...[...source.columns].map(([field, column]) => memberSql(field, identifier(field), column)),
      ...reading.keep.map((name, index) => memberSql(name, identifier(`kept ${index}`), undefined)),
    ]
    const record = `'{' || concat_ws(',', ${members.join(', ')}) || '}'`
    const line = table.refused === undefined ? record : `CASE WHEN "is refused" THEN '0' ELSE ${record} END`
    const part = join(folder.path, `records-${place}.ndjson`)
    await engine.run(`COPY (SELECT ${line} FROM ${source.source}) TO ${literal(part)}
 (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\\x01')`)
    await pipeline(createReadStream(part), createWriteStream(lines, { flags: 'a', mode: 0o600 }))
  }
  const outcome = await scoreLines({
    ...run,
    inputs: [{ path: lines, format: 'ndjson' }],
    reading: { ...reading, map: new Map(), isNumbered },
    isResumed: false,
  })
  return { ...outcome, unknown: [...unknown] }
}

/** A member of a JSON object; null, which is left out, for a value that is absent. */
function memberSql(name: string, value: string, kind: Column | undefined): string {
  const json = `to_json(${value})`
  const values: Partial<Record<ColumnType, string>> = {
    // What is not a number must stay a text, which the engine refuses.
    number: `CASE WHEN isfinite(${value}) THEN ${json} WHEN ${value} IS NOT NULL THEN to_json('not a number') END`,
    date: `to_json(strftime(${value}, '%d-%m-%Y'))`,
    // Yes-no fields come as the texts true and false, which JSON writes without quotes.
    cell: `CASE WHEN ${value} IN ('true', 'false') THEN ${value}::JSON WHEN ${value} <> '' THEN ${json} END`,
  }
  const member = (kind === undefined ? undefined : values[kind.type]) ?? json
  return `${literal(`${JSON.stringify(name)}:`)} || CAST(${member} AS VARCHAR)`
}
