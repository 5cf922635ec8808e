/** Rows of CSV, Parquet and XLSX files, read by the table engine. */
import type { DuckDBDataChunk } from '@duckdb/node-api'
import { numberSql, trimmedSql } from '../../tables/cell-sql.ts'
import { TableEngine, literal } from '../../tables/engine.ts'
import { makeTempFolder } from '../../tables/open-input.ts'
import { type Table, type TableColumn, type TableFormat, openTable } from '../../tables/open-table.ts'
import { DataError } from './data-error.ts'
import { placesOf } from './places.ts'
import type { Cell, OnProgress, Row, Visit, Wanted } from './row.ts'

const MOST_FAULTS = 10
const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/

export function engineReader(format: TableFormat) {
  return async (path: string, wanted: Wanted, visit: Visit, onProgress: OnProgress): Promise<void> => {
    const folder = makeTempFolder()
    try {
      const engine = await TableEngine.open({ folder })
      try {
        const table = await openTable(engine, folder, { path, format }, {})
        await visitRows(engine, path, table, wanted, visit, onProgress)
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
  path: string,
  table: Table,
  wanted: Wanted,
  visit: Visit,
  onProgress: OnProgress,
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
  const selected = columns.flatMap((column) => selectedOf(table, column, wanted))
  const row = new EngineRow(columns.map((column) => isTwice(table, column, wanted)))
  let rows = 0
  const query = `SELECT ${selected.length === 0 ? '1' : selected.join(', ')} FROM ${table.from}`
  for await (const chunk of engine.chunks(query)) {
    row.take(chunk)
    for (row.index = 0; row.index < chunk.rowCount; row.index++) {
      row.line = table.lineOf(rows++)
      visit(row)
    }
    onProgress(Math.max(0, engine.share), 1)
  }
}

/** Whether a column is read as a number and as a text: its text is needed only where it is not a number. */
function isTwice(table: Table, { name }: TableColumn, wanted: Wanted): boolean {
  return table.isText && wanted.numbers.has(name)
}

function selectedOf(table: Table, column: TableColumn, wanted: Wanted): readonly string[] {
  const { sql, type } = column
  if (!table.isText) {
    if (NUMERIC.test(type)) return [`CAST(${sql} AS DOUBLE)`]
    if (type === 'BOOLEAN') return [sql]
    if (type === 'DATE' || type.startsWith('TIMESTAMP')) return [`strftime(${sql}, '%d-%m-%Y')`]
    return [`CAST(${sql} AS VARCHAR)`]
  }
  // A cell of spaces alone is as empty as an empty one.
  const text = `nullif(${trimmedSql(sql)}, '')`
  if (!isTwice(table, column, wanted)) return [text]
  const { missing, decimal } = wanted
  const isMissing = missing.length === 0 ? 'false' : `${sql} IN (${missing.map(literal).join(', ')})`
  return [`CASE WHEN NOT ${isMissing} THEN ${numberSql(sql, { decimal })} END`, text]
}

interface Vector {
  getItem(index: number): unknown
}

class EngineRow implements Row {
  line = 0
  index = 0
  private readonly isTwice: readonly boolean[]
  private numbers: (Vector | undefined)[] = []
  private values: Vector[] = []

  constructor(isTwice: readonly boolean[]) {
    this.isTwice = isTwice
  }

  take(chunk: DuckDBDataChunk): void {
    let at = 0
    this.numbers = []
    this.values = []
    for (const isTwice of this.isTwice) {
      this.numbers.push(isTwice ? chunk.getColumnVector(at++) : undefined)
      this.values.push(chunk.getColumnVector(at++))
    }
  }

  cell(place: number): Cell {
    const value = this.values[place]?.getItem(this.index) as Cell
    return value ?? null
  }

  number(place: number): number {
    const value = (this.numbers[place] ?? this.values[place])?.getItem(this.index)
    return typeof value === 'number' ? value : Number.NaN
  }
}
