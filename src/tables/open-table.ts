/** A file with columns as a source of rows for the engine: CSV and XLSX as text, Parquet with its types. */
import { BadFile } from './bad-file.ts'
import { MARKS } from './cell-sql.ts'
import { EngineError, TableEngine, fileLiteral, identifier } from './engine.ts'
import type { Format } from './formats.ts'
import { type CsvOptions, openCsv } from './open-csv.ts'
import { isAddress, isReadOnce, spoolToTempFile } from './open-input.ts'
import type { Table } from './table.ts'

export interface TableFile {
  readonly path: string
  readonly format: Exclude<Format, 'json' | 'ndjson'>
}

/**
 * Opens a table for some work. If the work fails, it is found out whether the file is the cause. A simple CSV file is not scanned
 * first: the work is done again, with rows that are marked as refused. Any other file is read once more, and nothing else.
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
    if (isCsv) {
      const scanned = await openTable(engine, { path, format }, { ...options, isScanned: true })
      if (scanned.faultCount === table.faultCount) throw error
      return work(scanned)
    }
    if (error instanceof EngineError && !(await isReadable(table))) throw damaged(format)
    throw error
  }
}

/** Whether every cell can be read, by an engine of its own: after some failures an engine does nothing more. */
async function isReadable({ from }: Table): Promise<boolean> {
  using engine = await TableEngine.open(1)
  try {
    await engine.rows(`SELECT max(hash(COLUMNS(*))) FROM ${from}`)
    return true
  } catch (error) {
    if (error instanceof EngineError) return false
    throw error
  }
}

function damaged(format: TableFile['format']): BadFile {
  const name = format === 'xlsx' ? 'XLSX' : 'Parquet'
  return new BadFile(
    `cannot be read as ${name}: it is another kind of file, or it is cut off or damaged; copy it again`,
  )
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
    throw damaged(format)
  })
  const columns = described.map(({ column_name, column_type }) => {
    const name = String(column_name)
    return { name, sql: identifier(name), type: String(column_type) }
  })
  const readable = { refused: undefined, faults: [], faultCount: 0, encoding: 'utf-8', marks: MARKS }
  return { ...readable, columns, from, isText, lineOf: (row) => row + 1 }
}
