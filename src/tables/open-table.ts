/** A file with columns as a source of rows for the engine: CSV as text, NDJSON as JSON values, Parquet and XLSX with their types. */
import { BadFile } from './bad-file.ts'
import { MARKS } from './cell-sql.ts'
import { EngineError, type TableEngine, identifier, literal } from './engine.ts'
import type { Format } from './formats.ts'
import { isAddress } from './list-inputs.ts'
import { type CsvOptions, openCsv } from './open-csv.ts'
import { decodeParts, isReadOnce, openInput, spoolToTempFile } from './open-input.ts'
import type { Table } from './table.ts'

export interface TableFile {
  readonly path: string
  readonly format: Exclude<Format, 'json'>
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
  if (format === 'ndjson') return openNdjson(path)
  const isText = format === 'xlsx'
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
  return { ...READABLE, columns, from, isText, lineOf: (row) => row + 1 }
}

const READABLE = { refused: undefined, faults: [], faultCount: 0, encoding: 'utf-8', marks: MARKS }

/** NDJSON: every key is a column of JSON values. Lines are parsed here first, because the engine does not name the one that is wrong. */
async function openNdjson(path: string): Promise<Table> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const names = new Set<string>()
  /** For each row after a blank line, its line minus its number. */
  const breaks: { readonly row: number; readonly offset: number }[] = []
  let rows = 0
  let line = 0
  let rest = ''
  const take = (part?: Buffer): void => {
    try {
      rest += decoder.decode(part, { stream: part !== undefined })
    } catch {
      throw new BadFile('is not valid UTF-8 from here on', { line: line + 1 })
    }
    const lines = rest.split('\n')
    rest = part === undefined ? '' : (lines.pop() ?? '')
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      for (const name in objectIn(text, line)) names.add(name)
      if (line - rows !== (breaks[breaks.length - 1]?.offset ?? 1))
        breaks.push({ row: rows, offset: line - rows })
      rows++
    }
  }
  for await (const part of decodeParts(openInput(path).bytes, 'utf-8')) take(part)
  take()
  if (line === 0) throw new BadFile('is empty')
  // The engine ignores the case of names: the first one is read.
  const known = new Map([...names].reverse().map((name) => [name.toLowerCase(), name]))
  const columns = [...known.values()].reverse().map((name) => ({ name, sql: identifier(name), type: 'JSON' }))
  const options = `format = 'newline_delimited', maximum_object_size = 67108864, compression = 'uncompressed'`
  const types = columns.map(({ sql }) => `${sql}: 'JSON'`)
  const from = `read_json(${literal(path)}, ${options}, columns = {${types.join(', ')}})`
  const lineOf = (row: number): number => row + (breaks.findLast((each) => each.row <= row)?.offset ?? 1)
  return { ...READABLE, columns, from, isText: false, lineOf }
}

function objectIn(text: string, line: number): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BadFile('is not well-formed JSON', { line })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new BadFile('is not a JSON object', { line })
}
