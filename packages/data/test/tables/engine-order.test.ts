/** The engine keeps the order of rows, also where a long list of values invites it to make a join. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TableEngine, literal } from '../../src/tables/engine.ts'
import { openTable } from '../../src/tables/open-table.ts'

test('rows stay in order with two threads and a long IN list', async () => {
  using engine = await TableEngine.open(2)
  const path = join(engine.folder, 'in.csv')
  const rows = Array.from({ length: 1_000_000 }, (_each, row) => `${row},${row % 61}\n`)
  writeFileSync(path, `row,value\n${rows.join('')}`)
  const table = await openTable(engine, { path, format: 'csv' }, {})
  const list = Array.from({ length: 61 }, (_each, value) => `${value / 2}e0`).join(', ')
  const part = literal(join(engine.folder, 'out.parquet'))
  await engine.run(`COPY (SELECT CAST(c0 AS BIGINT) AS place, CAST(c1 AS DOUBLE) IN (${list}) AS is_listed
 FROM ${table.from}) TO ${part} (FORMAT parquet)`)
  const [moved] = await engine.rows(
    `SELECT count(*) AS n FROM read_parquet(${part}, file_row_number = true) WHERE place <> file_row_number`,
  )
  assert.equal(Number(moved?.['n']), 0)
})
