/** Runs a printed SELECT on a table in PostgreSQL. */
import pg from 'pg'
import type { ColumnType } from '../../src/sql/read-field.ts'
import { type Database, type SqlRow, textOf } from './duckdb.ts'
import { jsonRows } from './rows.ts'

const TYPES: Readonly<Record<ColumnType, string>> = {
  cell: 'text',
  text: 'text',
  integer: 'bigint',
  number: 'float8',
  decimal: 'numeric',
  boolean: 'boolean',
  date: 'date',
  other: 'text[]',
}

export async function openPostgres(url: string): Promise<Database & { readonly client: pg.Client }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    client,
    async load(name, table) {
      const { columns } = table
      const names = ['pos', ...columns.map((column) => column.name)]
      const types = ['bigint', ...columns.map(({ type }) => TYPES[type])]
      const shape = names.map((each, place) => `"${each}" ${types[place]}`).join(', ')
      await client.query(`DROP TABLE IF EXISTS "${name}"`)
      await client.query(`CREATE TABLE "${name}" (${shape})`)
      const insert = `INSERT INTO "${name}" SELECT * FROM json_to_recordset($1::json) AS given (${shape})`
      await client.query(insert, [`[${jsonRows(table).join(',')}]`])
    },
    async rows(query) {
      const { rows } = await client.query<Record<string, unknown>>(query)
      return rows.map((row): SqlRow => ({
        pos: Number(row['pos']),
        idx: textOf(row['idx']),
        risk: textOf(row['risk']),
        message: textOf(row['error_message']),
        notices: textOf(row['notices']),
      }))
    },
    close: () => client.end(),
  }
}
