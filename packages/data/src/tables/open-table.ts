/** A file with columns as a source of rows for the engine: CSV and XLSX as text, Parquet with its types. */
import { statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { BadFile } from './bad-file.ts'
import { type CellForms, MARKS } from './cell-sql.ts'
import { EngineError, TableEngine, fileLiteral, identifier } from './engine.ts'
import type { Format } from './formats.ts'
import { type CsvOptions, openCsv } from './open-csv.ts'
import { openXlsx } from './open-xlsx.ts'
import { isAddress, isPlainFile, isReadOnce, spoolToTempFile } from './open-input.ts'
import { FILE_PLACE, type Table } from './table.ts'

/** How text is read: the form of numbers decides how those of a spreadsheet are written as text. */
export type TableOptions = CsvOptions & Pick<CellForms, 'decimal'>

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
  options: TableOptions,
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
    if (error instanceof EngineError && !(await isReadable(table))) throw damagedParquet()
    throw error
  }
}

/** Whether every cell can be read, by an engine of its own: after some failures an engine does nothing more. */
async function isReadable({ from }: Pick<Table, 'from'>): Promise<boolean> {
  using engine = await TableEngine.open(1)
  try {
    await engine.rows(`SELECT max(hash(COLUMNS(*))) FROM ${from}`)
    return true
  } catch (error) {
    if (error instanceof EngineError) return false
    throw error
  }
}

function damagedParquet(): BadFile {
  return new BadFile(
    'cannot be read as Parquet: it is another kind of file, or it is cut off or damaged; copy it again',
  )
}

export async function openTable(
  engine: TableEngine,
  { path: given, format }: TableFile,
  options: TableOptions,
): Promise<Table> {
  if (format !== 'parquet' && isAddress(given))
    throw new BadFile(`${format.toUpperCase()} is read from local files only; copy it here first`)
  if (format === 'csv') return openCsv(given, options, engine.folder)
  const path = isAddress(given) ? given : await spoolToTempFile(given, engine.folder, `input.${format}`)
  if (format === 'xlsx') return openXlsx(engine, path, options)
  const from = parquetSource([path])
  const columns = await columnsIn(engine, from).catch((error: unknown) => {
    throw error instanceof EngineError ? damagedParquet() : error
  })
  return { ...READABLE, columns, from, isText: false }
}

const READABLE = {
  refused: undefined,
  faults: [],
  faultCount: 0,
  encoding: 'utf-8',
  marks: MARKS,
  lineOf: (row: number): number => row + 1,
}

function parquetSource(paths: readonly string[]): string {
  return `read_parquet([${paths.map(fileLiteral).join(', ')}], hive_partitioning = true)`
}

async function columnsIn(engine: TableEngine, from: string): Promise<Table['columns']> {
  const described = await engine.rows(`DESCRIBE SELECT * FROM ${from}`)
  return described.map(({ column_name, column_type }) => {
    const name = String(column_name)
    return { name, sql: identifier(name), type: String(column_type) }
  })
}

/** Files that are this large together are not joined with more: what is interrupted starts again. */
const MOST_JOINED_BYTES = 64 * 1024 * 1024

/**
 * The first of these files that are small Parquet files with the same columns, as one table: a model is planned once for all of
 * them, which takes far longer than reading a small one. Undefined where there is no second such file.
 */
export async function joinAlike(
  engine: TableEngine,
  files: readonly TableFile[],
): Promise<{ readonly table: Table; readonly count: number } | undefined> {
  const paths: string[] = []
  let bytes = 0
  let first: Table['columns'] | undefined
  for (const { path, format } of files) {
    if (format !== 'parquet' || isAddress(path) || !(await isPlainFile(path))) break
    bytes += statSync(path).size
    if (bytes > MOST_JOINED_BYTES) break
    // One that cannot be read is refused when its turn comes.
    const columns = await columnsIn(engine, parquetSource([path])).catch(() => undefined)
    if (columns === undefined || (first !== undefined && !isDeepStrictEqual(columns, first))) break
    first = columns
    paths.push(path)
  }
  if (
    first === undefined ||
    paths.length < 2 ||
    first.some(({ name }) => PLACE_NAMES.includes(name.toLowerCase()))
  )
    return undefined
  const from = parquetSource(paths)
  // The values of all folders decide the types of Hive's columns.
  if (!isDeepStrictEqual(await columnsIn(engine, from), first)) return undefined
  return { table: { ...READABLE, columns: first, from, isText: false, isJoined: true }, count: paths.length }
}

const PLACE_NAMES: readonly string[] = Object.values(FILE_PLACE)

/** Throws where one of these files is damaged, and names it. */
export async function refuseDamaged(files: readonly TableFile[]): Promise<void> {
  for (const { path } of files)
    if (!(await isReadable({ from: parquetSource([path]) })))
      throw new BadFile(`${path}: ${damagedParquet().message}`)
}
