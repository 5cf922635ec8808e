/** Runs a printed SELECT on a table in PostgreSQL. */
import pg from 'pg'
import type { ColumnType } from '../../src/sql/read-field.ts'
import { startPostgres } from '../store/postgres-server.ts'
import { type Database, type SqlRow, textOf } from './duckdb.ts'

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

export async function openPostgres(): Promise<Database & { readonly client: pg.Client }> {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: await server.newDatabase() })
  await client.connect()
  return {
    client,
    async load(name, { columns, rows }) {
      const names = ['pos', ...columns.map((column) => column.name)]
      const types = ['bigint', ...columns.map(({ type }) => TYPES[type])]
      const shape = names.map((each, place) => `"${each}" ${types[place]}`).join(', ')
      const records = rows.map((row, position) =>
        Object.fromEntries(names.map((each, place) => [each, place === 0 ? position : row[place - 1]])),
      )
      await client.query(`DROP TABLE IF EXISTS "${name}"`)
      await client.query(`CREATE TABLE "${name}" (${shape})`)
      const insert = `INSERT INTO "${name}" SELECT * FROM json_to_recordset($1::json) AS given (${shape})`
      await client.query(insert, [JSON.stringify(records)])
    },
    async rows(query) {
      const { rows } = await client.query<Record<string, unknown>>(query)
      return rows.map((row): SqlRow => ({
        pos: Number(row['pos']),
        idx: textOf(row['idx']),
        risk: textOf(row['risk']),
        message: textOf(row['error_message']),
      }))
    },
    async close() {
      await client.end()
      await server.remove()
    },
  }
}
