/** Runs a printed SELECT on a table in DuckDB. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { ColumnType } from '../../src/sql/read-field.ts'
import { type Table, jsonRows } from './rows.ts'

const TYPES: Readonly<Record<ColumnType, string>> = {
  cell: 'VARCHAR',
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  decimal: 'DECIMAL(18, 6)',
  boolean: 'BOOLEAN',
  date: 'DATE',
  other: 'VARCHAR[]',
}

export interface SqlRow {
  readonly pos: number
  readonly idx: string
  readonly risk: string
  readonly message: string
  readonly notices: string
}

/** A value as a word; `null` for none. */
export function textOf(value: unknown): string {
  return typeof value === 'bigint'
    ? value.toString()
    : typeof value === 'string'
      ? value
      : JSON.stringify(value ?? null)
}

export interface Database {
  /** Fills a table with the rows and their positions. */
  load(name: string, table: Table): Promise<void>
  rows(query: string): Promise<readonly SqlRow[]>
  close(): Promise<void>
}

export async function openDuckDb(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-sql-'))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  return {
    async load(name, table) {
      const { columns } = table
      const file = join(folder, `${name}.ndjson`)
      const names = ['pos', ...columns.map((column) => column.name)]
      const types = ['BIGINT', ...columns.map(({ type }) => TYPES[type])]
      writeFileSync(file, jsonRows(table).join('\n'))
      const shape = names.map((each, place) => `"${each}": '${types[place]}'`).join(', ')
      await connection.run(
        `CREATE OR REPLACE TABLE "${name}" AS SELECT * FROM read_json('${file}', format = 'newline_delimited', columns = {${shape}})`,
      )
    },
    async rows(query) {
      const reader = await connection.runAndReadAll(query)
      return reader.getRowObjectsJS().map((row): SqlRow => ({
        pos: Number(row['pos']),
        idx: textOf(row['idx']),
        risk: textOf(row['risk']),
        message: textOf(row['error_message']),
        notices: textOf(row['notices']),
      }))
    },
    close() {
      connection.closeSync()
      instance.closeSync()
      rmSync(folder, { recursive: true, force: true })
      return Promise.resolve()
    },
  }
}
