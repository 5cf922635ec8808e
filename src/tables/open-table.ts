/** A file with columns as a source of rows for the engine: CSV as text, Parquet and XLSX with their types. */
import { BadFile } from './bad-file.ts'
import { EngineError, type TableEngine, identifier, literal } from './engine.ts'
import { isAddress } from './list-inputs.ts'
import { type CsvOptions, MARKS, type RowFault, openCsv } from './open-csv.ts'
import { type TempFolder, isReadOnce, spoolToTempFile } from './open-input.ts'

export type TableFormat = 'csv' | 'parquet' | 'xlsx'

export interface TableColumn {
  readonly name: string
  /** The column in the query, quoted. */
  readonly sql: string
  /** DuckDB's name of its type. */
  readonly type: string
}

export interface Table {
  readonly columns: readonly TableColumn[]
  /** What stands after FROM. */
  readonly from: string
  /** Whether every cell is a text that stands for any value, as in CSV. */
  readonly isText: boolean
  /** A condition that holds in a row which cannot be read; undefined where every row can. */
  readonly refused: string | undefined
  readonly faults: readonly RowFault[]
  readonly faultCount: number
  readonly encoding: string | undefined
  /** Those of `MARKS` that some cell of text may have. */
  readonly marks: ReadonlySet<string>
  /** The line of a row, from 1; of a file without lines, the number of the row. Rows are counted from 0. */
  lineOf(row: number): number
}

/**
 * Opens a table for some work. A simple CSV file is not scanned before: where the work fails, the scan says whether its rows
 * are the cause. Then the work is done again, with rows that are marked as refused.
 */
export async function useTable<T>(
  engine: TableEngine,
  folder: TempFolder,
  input: { readonly path: string; readonly format: TableFormat },
  options: CsvOptions,
  work: (table: Table) => Promise<T>,
): Promise<T> {
  const isCsv = input.format === 'csv' && !isAddress(input.path)
  const path =
    isCsv && isReadOnce(input.path) ? await spoolToTempFile(input.path, folder, 'input') : input.path
  const table = await openTable(engine, folder, { ...input, path }, options)
  try {
    return await work(table)
  } catch (error) {
    if (!isCsv) throw error
    const scanned = await openTable(engine, folder, { ...input, path }, { ...options, isScanned: true })
    if (scanned.faultCount === table.faultCount) throw error
    return work(scanned)
  }
}

export async function openTable(
  engine: TableEngine,
  folder: TempFolder,
  input: { readonly path: string; readonly format: TableFormat },
  options: CsvOptions,
): Promise<Table> {
  if (input.format === 'csv') {
    if (isAddress(input.path)) throw new BadFile('CSV is read from local files only; copy it here first')
    return openCsv(input.path, options, folder)
  }
  const path = isAddress(input.path)
    ? input.path
    : await spoolToTempFile(input.path, folder, `input.${input.format}`)
  const isText = input.format === 'xlsx'
  const from = isText
    ? `read_xlsx(${literal(path)}, all_varchar = true, header = true)`
    : `read_parquet(${literal(path)}, hive_partitioning = true)`
  const described = await engine.rows(`DESCRIBE SELECT * FROM ${from}`).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    const name = isText ? 'XLSX' : 'Parquet'
    throw new BadFile(`cannot be read as ${name}: it is another kind of file, or its end is missing`)
  })
  const columns = described.map(({ column_name, column_type }) => {
    const name = String(column_name)
    return { name, sql: identifier(name), type: String(column_type) }
  })
  const readable = {
    refused: undefined,
    faults: [],
    faultCount: 0,
    encoding: undefined,
    marks: new Set(MARKS),
  }
  return { columns, from, isText, ...readable, lineOf: (row) => row + 1 }
}
