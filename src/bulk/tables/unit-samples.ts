/** The values of a field in each file of a table, as far as its unit is judged by them. */
import { type TableEngine, identifier } from '../../tables/engine.ts'
import type { SampleOf } from '../summary.ts'
import { FILE, FILE_ROW, type TableSource } from './table-source.ts'

/** Rows of a file whose units are checked. */
const MOST_ROWS = 10_000

type Sample = Awaited<ReturnType<SampleOf>>
const NO_SAMPLE: Sample = { count: 0, median: 0 }

/** What the units of a field in a file are judged by. Joined files are read once for each field. */
export function unitSamples(
  engine: TableEngine,
  { source, columns }: TableSource,
  isJoined: boolean,
): (field: string, file: number) => Promise<Sample> {
  const sampled = new Map<string, ReadonlyMap<number, Sample>>()
  const sample = async (field: string): Promise<ReadonlyMap<number, Sample>> => {
    const value = `TRY_CAST(${identifier(field)} AS DOUBLE) AS value`
    const file = isJoined ? identifier(FILE) : '0'
    const first = isJoined ? `WHERE ${identifier(FILE_ROW)} < ${MOST_ROWS}` : `LIMIT ${MOST_ROWS}`
    const rows = await engine.rows(
      `SELECT file, count(*) AS n, median(value) AS median FROM (SELECT ${file} AS file, ${value} FROM ${source} ${first})
 WHERE value > 0 AND isfinite(value) GROUP BY file`,
    )
    return new Map(
      rows.map((row) => [Number(row['file']), { count: Number(row['n']), median: Number(row['median']) }]),
    )
  }
  return async (field, file) => {
    if (!columns.has(field)) return NO_SAMPLE
    const known = sampled.get(field) ?? (await sample(field))
    sampled.set(field, known)
    return known.get(file) ?? NO_SAMPLE
  }
}
