/** A file with columns as a source of rows for the engine: CSV and XLSX as text, Parquet with its types. */
import { BadFile } from './bad-file.ts'
import { MARKS } from './cell-sql.ts'
import { type TableEngine, EngineError, fileLiteral, identifier } from './engine.ts'
import type { Format } from './formats.ts'
import { type CsvOptions, openCsv } from './open-csv.ts'
import { isAddress, isReadOnce, spoolToTempFile } from './open-input.ts'
import type { Table } from './table.ts'

export interface TableFile {
  readonly path: string
  readonly format: Exclude<Format, 'json' | 'ndjson'>
}

/**
 * Opens a table for some work. A simple CSV file is not scanned first. If the work fails, a scan shows whether its rows are the
 * cause. Then the work is done again, with rows that are marked as refused.
 */
export async function useTable<T>(
  engine: TableEngine,
  { path: given, format }: TableFile,
  options: CsvOptions,
  work: (table: Table) => Promise<T>,
): Promise<T> {
  const isCsv = format === 'csv' && !isAddress(given)
  const path = isCsv && isReadOnce(given) ? await spoolToTempFile(given, engine.folder, 'input') : given
  const table = await openTable(engine, { path, format }, options)
  try {
    return await work(table)
  } catch (error) {
    if (!isCsv) throw error
    const scanned = await openTable(engine, { path, format }, { ...options, isScanned: true })
    if (scanned.faultCount === table.faultCount) throw error
    return work(scanned)
  }
}

export async function openTable(
  engine: TableEngine,
  { path: given, format }: TableFile,
  options: CsvOptions,
): Promise<Table> {
  if (format === 'csv') {
    if (isAddress(given)) throw new BadFile('CSV is read from local files only; copy it here first')
    return openCsv(given, options, engine.folder)
  }
  const path = isAddress(given) ? given : await spoolToTempFile(given, engine.folder, `input.${format}`)
  const isText = format === 'xlsx'
  const from = isText
    ? `read_xlsx(${fileLiteral(path)}, all_varchar = true, header = true)`
    : `read_parquet(${fileLiteral(path)}, hive_partitioning = true)`
  const described = await engine.rows(`DESCRIBE SELECT * FROM ${from}`).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    const name = isText ? 'XLSX' : 'Parquet'
    throw new BadFile(`cannot be read as ${name}: it is another kind of file, or its end is missing`)
  })
  const columns = described.map(({ column_name, column_type }) => {
    const name = String(column_name)
    return { name, sql: identifier(name), type: String(column_type) }
  })
  const readable = { refused: undefined, faults: [], faultCount: 0, encoding: 'utf-8', marks: MARKS }
  return { ...readable, columns, from, isText, lineOf: (row) => row + 1 }
}
