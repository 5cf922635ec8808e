/** Labelled data as rows: CSV, Parquet and XLSX through the table engine, NDJSON line by line. */
import type { DuckDBDataChunk } from '@duckdb/node-api'
import { statSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import { numberSql } from '../../tables/cell-sql.ts'
import { trimCell } from '../../tables/csv-scanner.ts'
import { TableEngine, literal } from '../../tables/engine.ts'
import { makeTempFolder } from '../../tables/open-input.ts'
import { type Table, type TableColumn, type TableFormat, useTable } from '../../tables/open-table.ts'
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
      const engine = await TableEngine.open({ folder, threads: 1 })
      try {
        const visitAll = (table: Table): Promise<void> => visitRows(engine, table, path, ...reading)
        await useTable(engine, folder, { path, format }, {}, visitAll)
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
  // Numbers without NULL need no look at a mask, and no text is made of a cell that is plainly a number.
  const numbers = columns.map((column) =>
    wanted.numbers.has(column.name)
      ? `coalesce(${numberSqlOf(table, column, wanted)}, 'nan'::DOUBLE)`
      : "'nan'::DOUBLE",
  )
  const cells = columns.map((column, place) => {
    const cell = table.isText ? column.sql : typedSql(column)
    return wanted.numbers.has(column.name) ? `CASE WHEN isnan(n${place}) THEN ${cell} END` : cell
  })
  let chunk: DuckDBDataChunk
  let vectors: readonly { getItem(index: number): unknown }[] = []
  let index = 0
  let before = 0
  const row: Row = {
    get line() {
      return table.lineOf(before + index)
    },
    cell(place) {
      const value = chunk.getColumnVector(columns.length + place).getItem(index) as Cell
      // A cell of spaces alone is as empty as an empty one.
      return table.isText && typeof value === 'string' ? trimCell(value) || null : value
    },
    number: (place) => vectors[place]?.getItem(index) as number,
  }
  const named = numbers.map((sql, place) => `${sql} AS n${place}`)
  const input = `(SELECT ${[...named, '*'].join(', ')} FROM ${table.from})`
  const query = `SELECT ${[...numbers.map((_sql, place) => `n${place}`), ...cells, '1'].join(', ')} FROM ${input}`
  for await (chunk of engine.chunks(query)) {
    const { rowCount } = chunk
    vectors = columns.map((_column, place) => chunk.getColumnVector(place))
    for (index = 0; index < rowCount; index++) visit(row)
    before += rowCount
    onProgress(Math.max(0, engine.share), 1)
  }
}

/** The number of a cell, or the position of its text in the list; null if the cell must be read as text. */
function numberSqlOf({ isText, marks }: Table, { name, sql, type }: TableColumn, wanted: Wanted): string {
  const texts = wanted.numbers.get(name)
  if (!isText) return texts === undefined && NUMERIC.test(type) ? `CAST(${sql} AS DOUBLE)` : 'NULL'
  if (texts === undefined) return plainNumberSql(sql, wanted.decimal, marks)
  return `CASE ${sql} ${texts.map((text, place) => `WHEN ${literal(text)} THEN ${place}`).join(' ')} END`
}

/**
 * The number of a cell that is plainly one; anything else is null or not finite, and its text is read by the exact rules.
 * The engine's own conversion is several times as fast as a pattern. It would also take 1_0 and +-5, and 1e-400 for 0.
 */
function plainNumberSql(sql: string, decimal: Wanted['decimal'], marks: Table['marks']): string {
  if (decimal === 'comma') return numberSql(sql, { decimal })
  const isPlain = [`strlen(${sql}) <= 15`, ...[...marks].map((mark) => `NOT contains(${sql}, '${mark}')`)]
  // Three decimals may be thousands, where nobody has said how the file writes numbers.
  if (decimal === undefined) isPlain.push(`strlen(${sql}) - instr(${sql}, '.') <> 3`)
  return `CASE WHEN ${isPlain.join(' AND ')} THEN TRY_CAST(${sql} AS DOUBLE) END`
}

function typedSql({ sql, type }: TableColumn): string {
  if (NUMERIC.test(type)) return `CAST(${sql} AS DOUBLE)`
  if (type === 'BOOLEAN') return sql
  if (type === 'DATE' || type.startsWith('TIMESTAMP')) return `strftime(${sql}, '%d-%m-%Y')`
  return `CAST(${sql} AS VARCHAR)`
}
