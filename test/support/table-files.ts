/** Writes and reads tables for tests, with the engine itself. */
import { TableEngine, identifier, literal } from '@patient-risk/data/tables'

type Rows = readonly Readonly<Record<string, unknown>>[]

async function withEngine<T>(work: (engine: TableEngine) => Promise<T>): Promise<T> {
  using engine = await TableEngine.open(1)
  return await work(engine)
}

/** `types` gives the columns in their order, each with a type of the engine. */
export async function writeParquet(
  path: string,
  types: Readonly<Record<string, string>>,
  rows: Rows,
): Promise<void> {
  const names = Object.keys(types)
  const columns = names.map(
    (name) => `CAST(${identifier(name)} AS ${types[name] ?? ''}) AS ${identifier(name)}`,
  )
  const cell = (value: unknown): string =>
    value === undefined || value === null ? 'NULL' : literal(`${value as string | number}`)
  // A table without rows is made of one that is left out again.
  const values = (rows.length === 0 ? [{}] : rows).map(
    (row: Readonly<Record<string, unknown>>) => `(${names.map((name) => cell(row[name])).join(', ')})`,
  )
  await withEngine((engine) =>
    engine.run(
      `COPY (SELECT ${columns.join(', ')} FROM (VALUES ${values.join(', ')}) AS t(${names.map(identifier).join(', ')}) LIMIT ${rows.length})
 TO ${literal(path)} (FORMAT parquet)`,
    ),
  )
}

/** Every row of a Parquet or CSV file; of CSV all cells as text, an empty one as null. */
export function readTableRows(path: string, format: 'csv' | 'tsv' | 'parquet'): Promise<Rows> {
  const delimiter = format === 'tsv' ? '\t' : ','
  const from =
    format === 'parquet'
      ? `read_parquet(${literal(path)})`
      : `read_csv(${literal(path)}, all_varchar = true, header = true, delim = '${delimiter}', quote = '"', escape = '"', auto_detect = true)`
  return withEngine((engine) => engine.rows(`SELECT * FROM ${from}`))
}
