/** Labelled data as rows: CSV, Parquet and XLSX through the table engine, NDJSON line by line. */
import { statSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import { numberSql } from '../../tables/cell-sql.ts'
import { trimCell } from '../../tables/csv-scanner.ts'
import { TableEngine } from '../../tables/engine.ts'
import { makeTempFolder } from '../../tables/open-input.ts'
import { type Table, type TableColumn, type TableFormat, openTable } from '../../tables/open-table.ts'
import { DataError } from './data-error.ts'
import { readNdjson } from './ndjson.ts'
import { type Cell, type OnProgress, type Row, type TableReader, type Wanted, placesOf } from './row.ts'

const MOST_FAULTS = 10
const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/

const KINDS = {
  '.csv': engineReader('csv'),
  '.tsv': engineReader('csv'),
  '.ndjson': readNdjson,
  '.jsonl': readNdjson,
  '.parquet': engineReader('parquet'),
  '.xlsx': engineReader('xlsx'),
}

/** Visits the rows of a file, and reports a refused file with its name. Every cell stands where its column stands among the wanted ones. */
export async function readTable(
  path: string,
  wanted: Wanted,
  visit: (row: Row) => void,
  onProgress: OnProgress = () => undefined,
): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new DataError([`${path}: there is no such file`])
  }
  const name = path.toLowerCase().replace(/\.(gz|zst)$/, '')
  const kind = Object.entries(KINDS).find(([ending]) => name.endsWith(ending))
  if (kind === undefined) {
    throw new DataError([
      `${path}: the name must end in ${Object.keys(KINDS).join(', ')}, or one of them with .gz or .zst`,
    ])
  }
  try {
    await kind[1](path, wanted, visit, onProgress)
  } catch (error) {
    if (error instanceof BadFile) {
      const { message } = error
      throw new DataError([
        message.startsWith('line ')
          ? `${path}, ${message}; the file may be cut off or damaged there`
          : `${path}: ${message}`,
      ])
    }
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || error instanceof DataError) throw error
    throw new DataError([`${path}: cannot be read (${code})`])
  }
}

function engineReader(format: TableFormat): TableReader {
  return async (path, ...reading) => {
    const folder = makeTempFolder()
    try {
      const engine = await TableEngine.open({ folder })
      try {
        const table = await openTable(engine, folder, { path, format }, {})
        await visitRows(engine, table, path, ...reading)
      } finally {
        engine.close()
      }
    } finally {
      folder.remove()
    }
  }
}

async function visitRows(
  engine: TableEngine,
  table: Table,
  ...[path, wanted, visit, onProgress]: Parameters<TableReader>
): Promise<void> {
  if (table.faultCount > 0) {
    const lines = table.faults.slice(0, MOST_FAULTS).map(({ line, reason }) => {
      const how = reason === 'tooManyCells' ? 'more' : 'fewer'
      return `${path}, line ${line}: the row has ${how} cells than the header; the file may be cut off or damaged there`
    })
    throw new DataError(lines)
  }
  const names = table.columns.map(({ name }) => name)
  const columns = placesOf(path, wanted.columns, names).map((place) => table.columns[place] as TableColumn)
  // A text column that is read as a number is selected twice: its text is needed only where it is not a number.
  const cells = columns.map((column) => (table.isText ? column.sql : typedSql(column)))
  const numbers = columns.map(({ name, sql }, place) =>
    table.isText && wanted.numbers.has(name) ? plainNumberSql(sql, wanted.decimal) : (cells[place] as string),
  )
  const selected = [...new Set([...cells, ...numbers])]
  const cellAt = cells.map((sql) => selected.indexOf(sql))
  const numberAt = numbers.map((sql) => selected.indexOf(sql))
  let vectors: readonly { getItem(index: number): unknown }[] = []
  let index = 0
  const row = {
    line: 0,
    cell(place: number): Cell {
      const value = vectors[cellAt[place] ?? -1]?.getItem(index) as Cell
      // A cell of spaces alone is as empty as an empty one.
      return table.isText && typeof value === 'string' ? trimCell(value) || null : value
    },
    number(place: number): number {
      const value = vectors[numberAt[place] ?? -1]?.getItem(index)
      return typeof value === 'number' ? value : Number.NaN
    },
  }
  let rows = 0
  const query = `SELECT ${selected.length === 0 ? '1' : selected.join(', ')} FROM ${table.from}`
  for await (const chunk of engine.chunks(query)) {
    vectors = selected.map((_sql, column) => chunk.getColumnVector(column))
    for (index = 0; index < chunk.rowCount; index++) {
      row.line = table.lineOf(rows++)
      visit(row)
    }
    onProgress(Math.max(0, engine.share), 1)
  }
}

/**
 * The number of a cell that is plainly one; anything else is null or not finite, and its text is read by the exact rules.
 * The engine's own conversion is several times as fast as a pattern. It would also take 1_0, and 1e-400 for 0.
 */
function plainNumberSql(sql: string, decimal: Wanted['decimal']): string {
  if (decimal === 'comma') return numberSql(sql, { decimal })
  const isPlain = ['_', 'e', 'E'].map((mark) => `NOT contains(${sql}, '${mark}')`).join(' AND ')
  // Three decimals may be thousands, where nobody has said how the file writes numbers.
  const isClear = decimal === 'point' ? 'true' : `strlen(${sql}) - instr(${sql}, '.') <> 3`
  return `CASE WHEN strlen(${sql}) <= 15 AND ${isPlain} AND ${isClear} THEN TRY_CAST(${sql} AS DOUBLE) END`
}

function typedSql({ sql, type }: TableColumn): string {
  if (NUMERIC.test(type)) return `CAST(${sql} AS DOUBLE)`
  if (type === 'BOOLEAN') return sql
  if (type === 'DATE' || type.startsWith('TIMESTAMP')) return `strftime(${sql}, '%d-%m-%Y')`
  return `CAST(${sql} AS VARCHAR)`
}
