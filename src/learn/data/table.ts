/** Labelled data as rows: CSV, Parquet and XLSX through the table engine, NDJSON line by line. */
import { statSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import { numberSql, trimmedSql } from '../../tables/cell-sql.ts'
import { TableEngine, literal } from '../../tables/engine.ts'
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
  const isTwice = columns.map(({ name }) => table.isText && wanted.numbers.has(name))
  const selected = columns.flatMap((column, place) =>
    isTwice[place] === true
      ? [numberOrNull(column, wanted), selectedOf(table, column)]
      : [selectedOf(table, column)],
  )
  let numbers: readonly Vector[] = []
  let cells: readonly Vector[] = []
  let index = 0
  const row = {
    line: 0,
    cell: (place: number): Cell => (cells[place]?.getItem(index) as Cell) ?? null,
    number(place: number): number {
      const value = numbers[place]?.getItem(index)
      return typeof value === 'number' ? value : Number.NaN
    },
  }
  let rows = 0
  const query = `SELECT ${selected.length === 0 ? '1' : selected.join(', ')} FROM ${table.from}`
  for await (const chunk of engine.chunks(query)) {
    let at = 0
    const vectors = isTwice.map((twice) => [
      chunk.getColumnVector(at),
      chunk.getColumnVector((at += twice ? 2 : 1) - 1),
    ])
    numbers = vectors.map(([first]) => first as Vector)
    cells = vectors.map(([, last]) => last as Vector)
    for (index = 0; index < chunk.rowCount; index++) {
      row.line = table.lineOf(rows++)
      visit(row)
    }
    onProgress(Math.max(0, engine.share), 1)
  }
}

interface Vector {
  getItem(index: number): unknown
}

function numberOrNull({ sql }: TableColumn, { missing, decimal }: Wanted): string {
  const isMissing = missing.length === 0 ? 'false' : `${sql} IN (${missing.map(literal).join(', ')})`
  return `CASE WHEN NOT ${isMissing} THEN ${numberSql(sql, { decimal })} END`
}

function selectedOf(table: Table, { sql, type }: TableColumn): string {
  // A cell of spaces alone is as empty as an empty one.
  if (table.isText) return `nullif(${trimmedSql(sql)}, '')`
  if (NUMERIC.test(type)) return `CAST(${sql} AS DOUBLE)`
  if (type === 'BOOLEAN') return sql
  if (type === 'DATE' || type.startsWith('TIMESTAMP')) return `strftime(${sql}, '%d-%m-%Y')`
  return `CAST(${sql} AS VARCHAR)`
}
